import { at, firstAtLeast, type RowIndex } from './row-index.ts';
import type { SliceRef, TimelineLane } from './timeline-data.ts';

export type Direction = 'next' | 'previous' | 'up' | 'down';

/** Rows of all lanes, from top to bottom. */
export type Rows = readonly (readonly RowIndex[])[];

/** Where the keyboard goes from a slice: along its row, or to what is nearest in time on the next row that has anything. */
export function neighbour(lanes: readonly TimelineLane[], rows: Rows, from: SliceRef, direction: Direction): SliceRef | undefined {
  const lane = lanes[from.lane];
  const row = lane?.row[from.slice];
  if (!lane || row === undefined) return undefined;
  const start = at(lane.start, from.slice);
  if (direction === 'next' || direction === 'previous') return along(rows, from, row, direction === 'next' ? 1 : -1);
  return across(rows, { lane: from.lane, row, time: (start + at(lane.end, from.slice)) / 2 }, direction === 'down' ? 1 : -1);
}

function along(rows: Rows, { lane, slice }: SliceRef, row: number, by: 1 | -1): SliceRef | undefined {
  const index = rows[lane]?.[row];
  const next = index?.slices[index.slices.indexOf(slice) + by];
  return next === undefined ? undefined : { lane, slice: next };
}

function across(rows: Rows, from: { lane: number; row: number; time: number }, by: 1 | -1): SliceRef | undefined {
  const flat = rows.flatMap((indexes, lane) => indexes.map((index, row) => ({ lane, row, index })));
  const here = flat.findIndex(({ lane, row }) => lane === from.lane && row === from.row);
  for (let i = here + by; i >= 0 && i < flat.length; i += by) {
    const target = flat[i];
    const slice = target && nearestTo(target.index, from.time);
    if (target && slice !== undefined) return { lane: target.lane, slice };
  }
  return undefined;
}

/** Slice of a row that is nearest to a moment; undefined when the row is empty. */
function nearestTo({ slices, start, end }: RowIndex, time: number): number | undefined {
  const after = firstAtLeast(end, time);
  if (after === 0) return slices[0];
  if (after === slices.length) return slices[after - 1];
  const [back, ahead] = [time - at(end, after - 1), at(start, after) - time];
  return slices[ahead <= back ? after : after - 1];
}

/** The first slice from a moment on, looking at the lanes from top to bottom: where the keyboard begins. */
export function firstFrom(rows: Rows, time: number): SliceRef | undefined {
  for (const [lane, indexes] of rows.entries()) {
    for (const { slices, start } of indexes) {
      const slice = slices[firstAtLeast(start, time)];
      if (slice !== undefined) return { lane, slice };
    }
  }
  return undefined;
}
