import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type RunMetadata,
  RunMetadataSchema,
  type RunOptions,
  RunOptions_TraceLevel,
  type StepCalls,
} from '#proto/generated/tensorflow/run_options_pb.ts';
import type { DeviceStepStats } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { LoggingRequestSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import type { RunGraphResult } from '../worker/worker-interface.ts';
import type { Partition } from './client-graph.ts';

/** A task that is gone must not keep the result of a step from the client. */
const LOGGING_TIMEOUT_MS = 5000;

export function isTraced(options: RunOptions | undefined): boolean {
  return options?.traceLevel === RunOptions_TraceLevel.FULL_TRACE;
}

/**
 * Runs a step while its tasks note the transfers they receive, and returns these with its results. Tasks that do not answer
 * for their log are left out.
 */
export async function withTransfers(
  partitions: readonly Partition[],
  stepId: bigint,
  run: () => Promise<readonly RunGraphResult[]>,
): Promise<{ results: readonly RunGraphResult[]; transfers: DeviceStepStats[] }> {
  // Sent ahead of the step on the same connection, so there is no need to wait for the answers.
  void askAll(partitions, { enableRpcLogging: true });
  try {
    const results = await run();
    return { results, transfers: await takeTransfers(partitions, stepId) };
  } finally {
    void askAll(partitions, { disableRpcLogging: true });
  }
}

async function takeTransfers(partitions: readonly Partition[], stepId: bigint): Promise<DeviceStepStats[]> {
  const answers = await askAll(partitions, { fetchStepId: [stepId] });
  const steps = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.step : []));
  return steps.flatMap((step) => (step.stepId === stepId ? (step.stepStats?.devStats ?? []) : []));
}

/** What the client asked to know about a step: transfers first, then the nodes of each partition. */
export function runMetadata(
  transfers: readonly DeviceStepStats[],
  results: readonly RunGraphResult[],
  stepCalls: StepCalls | undefined,
): RunMetadata {
  const devStats = [...transfers, ...results.flatMap(({ stepStats }) => stepStats?.devStats ?? [])];
  return create(RunMetadataSchema, {
    ...(devStats.length > 0 ? { stepStats: { devStats } } : {}),
    partitionGraphs: results.flatMap(({ partitionGraphs }) => partitionGraphs),
    ...(stepCalls && { stepCalls }),
  });
}

function askAll(partitions: readonly Partition[], what: MessageInitShape<typeof LoggingRequestSchema>) {
  const request = create(LoggingRequestSchema, what);
  return Promise.allSettled(partitions.map(({ worker }) => worker.logging(request, { timeoutMs: LOGGING_TIMEOUT_MS })));
}
