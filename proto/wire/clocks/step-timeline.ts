import { create } from '@bufbuild/protobuf';
import type { RunMetadata } from '#proto/generated/tensorflow/run_options_pb.ts';
import { StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { readStepStats, type Timeline } from '../timeline.ts';
import { callBounds, taskSpans, transferBounds } from './clock-bounds.ts';
import { correctClocks } from './correct-clocks.ts';
import { estimateClocks } from './estimate-clocks.ts';
import { pairTransfers } from './transfer-pairs.ts';

/**
 * The timeline of a traced step by one clock, that of the session's master: the offsets of the others are estimated from the
 * messages of the step. Without devices when the step was not traced. Where the step does not tell its master, it is `master` if
 * that took part, or else the first task.
 */
export function stepTimeline({ stepStats, stepCalls }: RunMetadata, master?: string): Timeline {
  const step = readStepStats(stepStats ?? create(StepStatsSchema));
  const pairs = pairTransfers(step);
  const spans = taskSpans(step);
  const [first = ''] = spans.keys();
  const reference = stepCalls?.master ?? (master !== undefined && spans.has(master) ? master : first);
  const calls = stepCalls?.calls.map(({ task, sentMicros, answeredMicros }) => ({ task, sent: sentMicros, answered: answeredMicros }));
  const bounds = [...transferBounds(pairs), ...callBounds(step, reference, calls ?? [])];
  const starts = new Map([...spans].map(([task, { start }]) => [task, start]));
  return correctClocks(step, pairs, estimateClocks({ reference, bounds, starts }));
}
