import type { TraceDevice } from '#proto/ipc/contract.ts';
import type { SliceRef } from '../../plots/timeline/timeline-data.ts';
import { titleOf } from '../../plots/timeline/transfers.ts';

/** Slices whose node, op or sender contains the text, in whatever case: by lane, in the order of the columns. Undefined for no text. */
export function findSlices(lanes: readonly TraceDevice[], text: string): ReadonlySet<number>[] | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return undefined;
  return lanes.map((lane) => {
    const isWanted = (slice: number): boolean =>
      [titleOf(lane, slice), lane.ops[slice], lane.from[slice]].some((part) => part?.toLowerCase().includes(wanted) ?? false);
    return new Set([...lane.names.keys()].filter(isWanted));
  });
}

export function countFound(found: readonly ReadonlySet<number>[]): number {
  return found.reduce((sum, { size }) => sum + size, 0);
}

/** The slice found next after (or before) one in time, going round at the ends. Undefined when nothing was found. */
export function nextFound(
  lanes: readonly TraceDevice[],
  found: readonly ReadonlySet<number>[],
  from: SliceRef | undefined,
  by: 1 | -1,
): SliceRef | undefined {
  const all = found
    .flatMap((slices, lane) => [...slices].map((slice) => ({ lane, slice, start: lanes[lane]?.start[slice] ?? 0 })))
    .sort((a, b) => a.start - b.start || a.lane - b.lane || a.slice - b.slice);
  const here = from ? all.findIndex(({ lane, slice }) => lane === from.lane && slice === from.slice) : -1;
  const next = here < 0 ? all.at(by > 0 ? 0 : -1) : all[(here + by + all.length) % all.length];
  return next && { lane: next.lane, slice: next.slice };
}
