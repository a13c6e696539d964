import type { Timeline, TimelineEntry } from './timeline.ts';

/** One event of Chrome's trace format. Times in microseconds. */
export type ChromeEvent =
  | {
      readonly ph: 'M';
      readonly name: 'process_name' | 'process_sort_index' | 'thread_name';
      readonly pid: number;
      readonly tid?: number;
      readonly args: Readonly<Record<string, string | number>>;
    }
  | {
      readonly ph: 'X';
      readonly cat: 'Op' | 'Transfer';
      readonly name: string;
      readonly pid: number;
      readonly tid: number;
      readonly ts: number;
      readonly dur: number;
      readonly args: Readonly<Record<string, string | number>>;
    }
  | {
      readonly ph: 's' | 'f';
      readonly cat: 'DataFlow';
      readonly name: string;
      readonly id: number;
      readonly pid: number;
      readonly tid: number;
      readonly ts: number;
      readonly bp?: 'e';
    };

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeEvent[];
  readonly displayTimeUnit: 'ms';
}

/**
 * A timeline in the JSON that Perfetto and chrome://tracing open: a process for each device, a thread for each lane, a
 * slice for each node, and an arrow for each transfer from the node that made the tensor. Slices of one thread never overlap.
 */
export function toChromeTrace({ devices, origin }: Timeline): ChromeTrace {
  const events: ChromeEvent[] = [];
  const at = (time: number): number => Number(origin) + time;
  const producers = new Map<string, { pid: number; tid: number; entry: TimelineEntry }>();
  for (const [pid, { device, entries, lanes }] of devices.entries()) {
    events.push({ ph: 'M', name: 'process_name', pid, args: { name: device } });
    events.push({ ph: 'M', name: 'process_sort_index', pid, args: { sort_index: pid } });
    for (let tid = 0; tid < lanes; tid++) events.push({ ph: 'M', name: 'thread_name', pid, tid, args: { name: `lane ${tid}` } });
    for (const entry of entries) {
      const { lane: tid, start, end, transfer, op } = entry;
      producers.set(`${device} ${entry.name}`, { pid, tid, entry });
      events.push({
        ph: 'X',
        cat: transfer ? 'Transfer' : 'Op',
        name: op,
        pid,
        tid,
        ts: at(start),
        dur: end - start,
        args: details(entry),
      });
    }
  }
  let id = 0;
  for (const [pid, { entries }] of devices.entries()) {
    for (const { transfer, lane: tid, start } of entries) {
      const producer = transfer && producers.get(`${transfer.from} ${nodeOf(transfer.tensor)}`);
      if (!producer) continue;
      // An arrow may not point back in time; clocks of two machines differ.
      const leave = Math.min(producer.entry.end, start);
      const name = transfer.tensor;
      events.push({
        ph: 's',
        cat: 'DataFlow',
        name,
        id,
        pid: producer.pid,
        tid: producer.tid,
        ts: at(Math.max(leave, producer.entry.start)),
      });
      events.push({ ph: 'f', bp: 'e', cat: 'DataFlow', name, id, pid, tid, ts: at(start) });
      id++;
    }
  }
  return { traceEvents: events, displayTimeUnit: 'ms' };
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
