import type { StepCalls } from '#proto/generated/tensorflow/run_options_pb.ts';
import { taskOfDevice } from '../device-name.ts';
import type { StepEntries } from '../timeline.ts';
import type { DifferenceBound } from './difference-bounds.ts';
import type { TransferPair } from './transfer-pairs.ts';

/** When a task's nodes ran, by its clock, in microseconds from the origin of the step. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Step stats are cut to whole microseconds, so what came later may stand this much earlier. */
const ROUNDING = 1;

/** What the transfers of a step tell about clocks: a tensor is made before it arrives, whatever the two clocks say. */
export function transferBounds(pairs: readonly TransferPair[]): DifferenceBound[] {
  const devices = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const tasks = new Map([...devices].map((device) => [device, taskOfDevice(device)]));
  return pairs.flatMap(({ from: sender, producer, to: recipient, receiver }): DifferenceBound[] => {
    const [from, to] = [tasks.get(sender), tasks.get(recipient)];
    if (from === undefined || to === undefined || from === to) return [];
    return [{ from, to, most: receiver.end - producer.opEnd + ROUNDING }];
  });
}

/** What the calls of a step's master tell about clocks: nodes run after the call for them and before its answer. */
export function callBounds(step: StepEntries, { master, calls }: StepCalls): DifferenceBound[] {
  const spans = taskSpans(step);
  return calls.flatMap(({ task, sentMicros, answeredMicros }): DifferenceBound[] => {
    const span = spans.get(task);
    if (!span || task === master) return [];
    return [
      { from: master, to: task, most: span.start - Number(sentMicros - step.origin) + ROUNDING },
      { from: task, to: master, most: Number(answeredMicros - step.origin) - span.end + ROUNDING },
    ];
  });
}

/** By task, in the order of the step's devices. */
export function taskSpans({ devices }: StepEntries): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  for (const { device, entries } of devices) {
    const task = taskOfDevice(device);
    if (task === undefined) continue;
    const known = spans.get(task);
    let [start, end] = [known?.start ?? Number.POSITIVE_INFINITY, known?.end ?? Number.NEGATIVE_INFINITY];
    for (const entry of entries) {
      // The start of a transfer may be by the clock of its sender.
      if (entry.transfer) continue;
      start = Math.min(start, entry.start);
      end = Math.max(end, entry.end);
    }
    spans.set(task, { start, end });
  }
  return spans;
}
