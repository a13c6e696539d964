import { create } from '@bufbuild/protobuf';
import type { RunMetadata } from '#proto/generated/tensorflow/run_options_pb.ts';
import { StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { readStepStats, type Timeline } from '../timeline.ts';
import { callBounds, taskSpans, transferBounds } from './clock-bounds.ts';
import { correctClocks } from './correct-clocks.ts';
import { type DifferenceBound, raised, slackOf, tightest } from './difference-bounds.ts';
import { estimateClocks } from './estimate-clocks.ts';
import { pairTransfers } from './transfer-pairs.ts';

export interface StepContext {
  /** Task that is taken to be the master where the step does not tell, if it took part; else that is the first task. */
  readonly master?: string | undefined;
  /** Other steps of the same tasks, best first: their messages tell about the same clocks. */
  readonly others?: readonly RunMetadata[];
}

/** Two clocks drift apart by less than this share of the time: quartz is good to 50 millionths. */
const DRIFT = 1e-4;

/**
 * The timeline of a traced step by one clock, that of the session's master: the offsets of the others are estimated from the
 * messages of the step. Without devices when the step was not traced.
 */
export function stepTimeline(metadata: RunMetadata, { master, others = [] }: StepContext = {}): Timeline {
  const { step, pairs, bounds } = readStep(metadata);
  const spans = taskSpans(step);
  const [first = ''] = spans.keys();
  const reference = metadata.stepCalls?.master ?? (master !== undefined && spans.has(master) ? master : first);
  const starts = new Map([...spans].map(([task, { start }]) => [task, start]));
  const all = others.map(readStep).reduce((known, other) => {
    const apart = Math.abs(Number(other.step.origin - step.origin));
    return withBounds(known, raised(other.bounds, DRIFT * apart));
  }, bounds);
  return correctClocks(step, pairs, estimateClocks({ reference, bounds: all, starts }));
}

function readStep({ stepStats, stepCalls }: RunMetadata) {
  const step = readStepStats(stepStats ?? create(StepStatsSchema));
  const pairs = pairTransfers(step);
  return { step, pairs, bounds: tightest([...transferBounds(pairs), ...(stepCalls ? callBounds(step, stepCalls) : [])]) };
}

/** Without the bounds of another step that contradict what is known: a clock was set between the two. */
function withBounds(known: readonly DifferenceBound[], more: readonly DifferenceBound[]): DifferenceBound[] {
  const all = tightest([...known, ...more]);
  return slackOf(all) > slackOf(known) ? [...known] : all;
}
