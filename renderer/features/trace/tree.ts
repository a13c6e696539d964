import type { TraceDevice } from '#proto/ipc/contract.ts';
import { formatMicros } from '../../plots/timeline/ticks.ts';
import { titleOf } from '../../plots/timeline/transfers.ts';

/** A device and its nodes, or their place in the list: one line of the tree. */
export type TreeLine =
  | { readonly kind: 'device'; readonly lane: number; readonly count: number; readonly open: boolean }
  | { readonly kind: 'node'; readonly lane: number; readonly slice: number };

/** Numbers of the slices of each lane by start: the order in which the tutorials print a trace. */
export function byStart({ start, end }: Pick<TraceDevice, 'start' | 'end'>): number[] {
  return [...start.keys()].sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (end[a] ?? 0) - (end[b] ?? 0));
}

/** All lines, devices in their order; of a search only what it found, and no device without any. */
export function treeLines(
  orders: readonly (readonly number[])[],
  closed: ReadonlySet<number>,
  found?: readonly ReadonlySet<number>[],
): TreeLine[] {
  return orders.flatMap((order, lane) => {
    const slices = found ? order.filter((slice) => found[lane]?.has(slice)) : order;
    if (found && slices.length === 0) return [];
    const open = !closed.has(lane);
    const device: TreeLine = { kind: 'device', lane, count: slices.length, open };
    return open ? [device, ...slices.map((slice): TreeLine => ({ kind: 'node', lane, slice }))] : [device];
  });
}

/** Device → nodes with start and duration, as text for the clipboard; the note of a device, if it has one, stands beside it. */
export function treeText(lanes: readonly TraceDevice[], noteOf: (lane: TraceDevice) => string): string {
  const head = (lane: TraceDevice): string => [lane.device, noteOf(lane)].filter((part) => part !== '').join(' · ');
  return lanes.flatMap((lane) => [head(lane), ...byStart(lane).map((slice) => `   ${nodeText(lane, slice)}`)]).join('\n');
}

function nodeText(lane: TraceDevice, slice: number): string {
  const { ops, start, end, from, bytes } = lane;
  const began = start[slice] ?? 0;
  const times = `${formatMicros(began)} µs +${formatMicros((end[slice] ?? 0) - began)} µs`;
  const sender = from[slice] ? `, ${bytes[slice] ?? 0} bytes from ${from[slice]}` : '';
  return `${titleOf(lane, slice)} (${ops[slice]}) ${times}${sender}`;
}

/** Where a key leads from a line of the tree; with `choose` the line is opened, closed or selected as by a press. */
interface TreeMove {
  readonly to: number;
  readonly choose: boolean;
}

/** Keys as trees have them everywhere. Undefined for keys that mean nothing here. */
export function moveInTree(lines: readonly TreeLine[], at: number, key: string, page: number): TreeMove | undefined {
  const line = lines[at];
  const last = lines.length - 1;
  const go = (to: number): TreeMove => ({ to: Math.min(Math.max(to, 0), last), choose: false });
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  const to = steps[key];
  if (to !== undefined) return go(to);
  if (!line) return undefined;
  if (key === 'Enter' || key === ' ') return { to: at, choose: true };
  if (key === 'ArrowRight')
    return line.kind === 'device' && !line.open ? { to: at, choose: true } : go(line.kind === 'device' ? at + 1 : at);
  if (key !== 'ArrowLeft') return undefined;
  if (line.kind === 'device') return { to: at, choose: line.open };
  return go(lines.findIndex((each) => each.kind === 'device' && each.lane === line.lane));
}
