import type { Timeline, TimelineEntry } from './timeline.ts';

type Args = Readonly<Record<string, string | number>>;

/** Names a process or a thread, or orders the processes. */
export interface MetadataEvent {
  readonly ph: 'M';
  readonly name: 'process_name' | 'process_sort_index' | 'thread_name';
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
}

/**
 * A timeline in the JSON that Perfetto and chrome://tracing open: a process for each device, a thread for each lane, a
 * slice for each node, and an arrow for each transfer from the node that made the tensor. Slices of one thread never overlap.
 */
export function toChromeTrace(timeline: Timeline): ChromeTrace {
  return { traceEvents: [...names(timeline), ...slices(timeline), ...arrows(timeline)], displayTimeUnit: 'ms' };
}

function names({ devices }: Timeline): MetadataEvent[] {
  return devices.flatMap(({ device, lanes }, pid): MetadataEvent[] => [
    { ph: 'M', name: 'process_name', pid, args: { name: device } },
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

function arrows({ devices, origin }: Timeline): FlowEvent[] {
  const producers = new Map<string, { pid: number; entry: TimelineEntry }>();
  for (const [pid, { device, entries }] of devices.entries()) {
    for (const entry of entries) producers.set(`${device} ${entry.name}`, { pid, entry });
  }
  const events: FlowEvent[] = [];
  for (const [pid, { entries }] of devices.entries()) {
    for (const { transfer, lane: tid, start } of entries) {
      const producer = transfer && producers.get(`${transfer.from} ${nodeOf(transfer.tensor)}`);
      // Clocks of two machines differ: an arrow that would point back in time is left out.
      if (!producer || producer.entry.start > start) continue;
      const common = { cat: 'DataFlow', name: transfer.tensor, id: events.length / 2 } as const;
      const leave = Number(origin) + Math.min(producer.entry.end, start);
      events.push({ ph: 's', ...common, pid: producer.pid, tid: producer.entry.lane, ts: leave });
      events.push({ ph: 'f', bp: 'e', ...common, pid, tid, ts: Number(origin) + start });
    }
  }
  return events;
}

function details({ name, op, inputs, transfer, outputBytes, scheduled, start }: TimelineEntry): Record<string, string | number> {
  const args: Record<string, string | number> = { name, op, waited_us: start - scheduled, output_bytes: outputBytes };
  for (const [i, input] of inputs.entries()) args[`input${i}`] = input;
  if (!transfer) return args;
  const { bytes, bitsPerSecond, tensor, from, to } = transfer;
  return { ...args, bytes, ...(bitsPerSecond !== undefined && { bits_per_second: bitsPerSecond }), tensor, from, to };
}

/** `edge_12_w/read` and `edge_12_w/read:1` → `w/read`. */
function nodeOf(tensor: string): string {
  return tensor.replace(/^edge_\d+_/, '').replace(/:\d+$/, '');
}
