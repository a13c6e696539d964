import { taskOfDevice } from '../device-name.ts';
import { layOutTimeline, type StepEntries, type StepEntry, type Timeline } from '../timeline.ts';
import type { ClockOffset } from './estimate-clocks.ts';
import type { TransferPair } from './transfer-pairs.ts';

/**
 * The timeline of a step by one clock: every device moved by the offset of its task's. No transfer starts before its tensor was
 * made, also where the offsets are not exact. `pairs` are those of the step.
 */
export function correctClocks(step: StepEntries, pairs: readonly TransferPair[], clocks: ReadonlyMap<string, ClockOffset>): Timeline {
  const devices = step.devices.map(({ device, entries }) => {
    const clock = clocks.get(taskOfLane(device) ?? '');
    const offset = clock?.offset ?? 0;
    return { device, entries, clock: offset === 0 ? undefined : clock, offset };
  });
  const sentAt = sendTimes(step, pairs, new Map(devices.map(({ device, offset }) => [device, offset])));
  let first = Number.POSITIVE_INFINITY;
  for (const { entries, offset } of devices) {
    for (const entry of entries) first = Math.min(first, Math.max(entry.start - offset, sentAt(entry)));
  }
  if (first === Number.POSITIVE_INFINITY) first = 0;
  return layOutTimeline(
    step.origin + BigInt(first),
    devices.map(({ device, entries, clock, offset }) => ({
      device,
      entries: entries.map((entry) => moved(entry, offset + first, sentAt(entry) - first)),
      clock,
    })),
  );
}

/** When the tensor of a transfer can have left, by the right clock: it was made, or else its sender had begun the step. */
function sendTimes(step: StepEntries, pairs: readonly TransferPair[], offsets: ReadonlyMap<string, number>): (entry: StepEntry) => number {
  const corrected = (device: string, time: number): number => time - (offsets.get(device) ?? 0);
  // Whole microseconds, as the times of transfers are.
  const made = new Map(pairs.map(({ from, producer, receiver }) => [receiver, corrected(from, Math.floor(producer.opEnd))]));
  const begun = new Map(
    step.devices.map(({ device, entries }) => {
      const first = entries.find(({ transfer }) => !transfer);
      return [device, corrected(device, first?.start ?? Number.NEGATIVE_INFINITY)];
    }),
  );
  return (entry) => (entry.transfer && (made.get(entry) ?? begun.get(entry.transfer.from))) ?? Number.NEGATIVE_INFINITY;
}

/** What had its inputs before the first start of all counts from there. */
function moved(entry: StepEntry, back: number, earliest: number): StepEntry {
  const to = (time: number): number => Math.max(time - back, earliest);
  const { scheduled, start, opStart, opEnd, end } = entry;
  return { ...entry, scheduled: Math.max(0, to(scheduled)), start: to(start), opStart: to(opStart), opEnd: to(opEnd), end: to(end) };
}

/** A stream of a card (`/job:w/replica:0/task:0/device:GPU:0/stream:all`) goes by the clock of its task. */
function taskOfLane(device: string): string | undefined {
  return taskOfDevice(device.replace(/\/(?:stream|memcpy)\b.*$/, ''));
}
