import * as pb from '#proto/generated/lanflow/task_service_pb.ts';
import type { MasterEnv } from '../master/master-env.ts';
import { previewPlacement } from '../master/placement-preview.ts';
import type { Worker } from '../worker/worker.ts';
import type { Openings } from './openings.ts';
import { type UnaryMethod, unary } from './unary-method.ts';

/** What our own tasks tell beyond TensorFlow's services. */
export const TASK_SERVICE = 'lanflow.TaskService';

export function taskMethods(env: MasterEnv, worker: Pick<Worker, 'counts'>, openings: Pick<Openings, 'now'>): UnaryMethod[] {
  return [
    unary('PlaceGraph', { request: pb.PlaceGraphRequestSchema, response: pb.PlaceGraphResponseSchema }, (request, { signal }) =>
      previewPlacement(env, request, signal),
    ),
    unary('GetTaskStats', { request: pb.GetTaskStatsRequestSchema, response: pb.GetTaskStatsResponseSchema }, async () => {
      const { begunSteps, runningSteps, sessions } = worker.counts();
      return {
        steps: BigInt(begunSteps),
        runningSteps: BigInt(runningSteps),
        sessions: BigInt(sessions),
        memory: BigInt(process.memoryUsage.rss()),
        uptimeMs: process.uptime() * 1000,
        opening: [...openings.now],
      };
    }),
  ];
}
