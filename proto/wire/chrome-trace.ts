import { clockText } from './clocks/clock-text.ts';
import { pairTransfers } from './clocks/transfer-pairs.ts';
import type { Timeline, TimelineEntry } from './timeline.ts';

type Args = Readonly<Record<string, string | number>>;

/** Names a process or a thread, says something about a process, or orders the processes. */
export interface MetadataEvent {
  readonly ph: 'M';
  readonly name: 'process_name' | 'process_labels' | 'process_sort_index' | 'thread_name';
  readonly pid: number;
  readonly tid?: number;
  readonly args: Args;
}

/** Something that took a while: times in microseconds. */
export interface SliceEvent {
  readonly ph: 'X';
  readonly cat: 'Op' | 'Transfer';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Args;
}

/** Start or end of an arrow between two slices; both have the same id. */
export interface FlowEvent {
  readonly ph: 's' | 'f';
  readonly cat: 'DataFlow';
  readonly name: string;
  readonly id: number;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** An arrow ends at the slice around its end, not at the next one. */
  readonly bp?: 'e';
}

/** One event of Chrome's trace format. */
export type ChromeEvent = MetadataEvent | SliceEvent | FlowEvent;

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeEvent[];
  readonly displayTimeUnit: 'ms';
  readonly otherData: {
    /** By device: what its times were corrected by. Add `offset_us` to have them as they were recorded. */
    readonly clocks: Readonly<Record<string, { readonly offset_us: number; readonly error_us: number | null }>>;
  };
}

/**
 * A timeline in the JSON that Perfetto and chrome://tracing open: a process for each device, a thread for each lane, a
 * slice for each node, and an arrow for each transfer from the node that made the tensor. Slices of one thread never overlap.
 */
export function toChromeTrace(timeline: Timeline): ChromeTrace {
  const traceEvents = [...names(timeline), ...slices(timeline), ...arrows(timeline)];
  return { traceEvents, displayTimeUnit: 'ms', otherData: { clocks: clocks(timeline) } };
}

function clocks({ devices }: Timeline): ChromeTrace['otherData']['clocks'] {
  return Object.fromEntries(
    devices.flatMap(({ device, clock }) => (clock ? [[device, { offset_us: clock.offset, error_us: clock.error ?? null }]] : [])),
  );
}

function names({ devices }: Timeline): MetadataEvent[] {
  return devices.flatMap(({ device, lanes, clock }, pid): MetadataEvent[] => [
    { ph: 'M', name: 'process_name', pid, args: { name: device } },
    ...(clock ? [{ ph: 'M', name: 'process_labels', pid, args: { labels: clockText(clock) } } as const] : []),
    { ph: 'M', name: 'process_sort_index', pid, args: { sort_index: pid } },
    ...Array.from({ length: lanes }, (_, tid) => ({ ph: 'M', name: 'thread_name', pid, tid, args: { name: `lane ${tid}` } }) as const),
  ]);
}

function slices({ devices, origin }: Timeline): SliceEvent[] {
  return devices.flatMap(({ entries }, pid) =>
    entries.map((entry) => ({
      ph: 'X',
      cat: entry.transfer ? 'Transfer' : 'Op',
      name: entry.op,
      pid,
      tid: entry.lane,
      ts: Number(origin) + entry.start,
      dur: entry.end - entry.start,
      args: details(entry),
    })),
  );
}

function arrows(timeline: Timeline): FlowEvent[] {
  const pids = new Map(timeline.devices.map(({ device }, pid) => [device, pid]));
  // By clocks that differ an arrow may point back in time: it is left out.
  const drawn = pairTransfers(timeline).filter(({ producer, receiver }) => producer.start <= receiver.start);
  return drawn.flatMap(({ from, producer, to, receiver }, id): FlowEvent[] => {
    const common = { cat: 'DataFlow', name: receiver.transfer?.tensor ?? '', id } as const;
    const arrive = Number(timeline.origin) + receiver.start;
    const leave = Math.min(Number(timeline.origin) + producer.end, arrive);
    return [
      { ph: 's', ...common, pid: pids.get(from) ?? 0, tid: producer.lane, ts: leave },
      { ph: 'f', bp: 'e', ...common, pid: pids.get(to) ?? 0, tid: receiver.lane, ts: arrive },
    ];
  });
}

function details({ name, op, inputs, transfer, outputBytes, scheduled, start }: TimelineEntry): Record<string, string | number> {
  const args: Record<string, string | number> = { name, op, waited_us: start - scheduled, output_bytes: outputBytes };
  for (const [i, input] of inputs.entries()) args[`input${i}`] = input;
  if (!transfer) return args;
  const { bytes, bitsPerSecond, tensor, from, to } = transfer;
  return { ...args, bytes, ...(bitsPerSecond !== undefined && { bits_per_second: bitsPerSecond }), tensor, from, to };
}
