import { setTimeout as delay } from 'node:timers/promises';
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  GetTaskStatsRequestSchema,
  type GetTaskStatsResponse,
  GetTaskStatsResponseSchema,
} from '#proto/generated/lanflow/task_service_pb.ts';
import { GetStatusRequestSchema, GetStatusResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { hex64 } from '#proto/wire/ids.ts';
import { Code, deadlineExceeded, toStatusError } from '#proto/wire/status.ts';
import { GrpcTransport } from '../../service/grpc-transport.ts';
import type { OpenNetwork } from '../../service/openings.ts';
import { ropeOf } from '../../service/rope.ts';
import type { Transport } from '../../service/transport.ts';
import { now, wasAway } from './lapse.ts';

export interface Beat {
  /** 16 hex digits. */
  readonly incarnation: string;
  /** Steps since the task started; undefined for a genuine TensorFlow task, which does not tell. */
  readonly steps: number | undefined;
  /** To which it answers in plain text, as far as it tells. */
  readonly openings: readonly OpenNetwork[];
}

export interface HeartbeatListener {
  onAnswer(beat: Beat): void;
  onSilence(reason: string): void;
}

/** The two together are the longest time after which a task that no longer answers is known to be lost: 3 s. */
const EVERY_MS = 1000;
const LIMIT_MS = 1900;

/** Asks a task at `host:port` for a sign of life, again and again, until the signal aborts. */
export async function watchHeartbeat(address: string, listener: HeartbeatListener, signal: AbortSignal): Promise<void> {
  const transport = new GrpcTransport(address);
  let incarnation = '';
  let hasStats = true;
  try {
    while (!signal.aborted) {
      const began = now();
      try {
        const beat: Beat = await askAll(transport, incarnation, hasStats);
        incarnation = beat.incarnation;
        hasStats = beat.steps !== undefined;
        if (!signal.aborted) listener.onAnswer(beat);
      } catch (error) {
        if (!signal.aborted && !wasAway(began, now(), LIMIT_MS)) listener.onSilence(`it does not answer: ${toStatusError(error).message}`);
      }
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    transport.close();
  }
}

/** Our tasks tell their incarnation once, and their stats every time; others are asked for the only thing they tell. */
async function askAll(transport: Transport, known: string, hasStats: boolean): Promise<Beat> {
  const isAsked = known === '' || !hasStats;
  const [incarnation, stats] = await Promise.all([isAsked ? askIncarnation(transport) : known, hasStats ? askStats(transport) : undefined]);
  return { incarnation, steps: stats && Number(stats.steps), openings: stats?.opening ?? [] };
}

async function askIncarnation(transport: Transport): Promise<string> {
  const { deviceAttributes } = await ask(transport, '/tensorflow.WorkerService/GetStatus', GetStatusRequestSchema, GetStatusResponseSchema);
  return hex64(deviceAttributes[0]?.incarnation ?? 0n);
}

/** Undefined when the task does not have that call; its refusal is a sign of life. */
async function askStats(transport: Transport): Promise<GetTaskStatsResponse | undefined> {
  try {
    const path = '/lanflow.TaskService/GetTaskStats';
    return await ask(transport, path, GetTaskStatsRequestSchema, GetTaskStatsResponseSchema);
  } catch (error) {
    if (toStatusError(error).code === Code.UNIMPLEMENTED) return undefined;
    throw error;
  }
}

/** With a timer of our own: a gRPC deadline is a time of the wall's clock, which may jump. */
async function ask<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  path: string,
  request: I,
  response: O,
): Promise<MessageShape<O>> {
  const call = transport.start(path, ropeOf(toBinary(request, create(request))), {});
  const timer = setTimeout(() => call.cancel(deadlineExceeded(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    return fromBinary(response, await call.response);
  } finally {
    clearTimeout(timer);
  }
}
