import type { TimelineLane } from './timeline-data.ts';

/**
 * The slices of one row in order of time, for binary search. As slices of a row never overlap, their ends are in order too.
 * `timeBefore[i]` is the time of all slices before the i-th, so the time of any range is one subtraction.
 */
export interface RowIndex {
  /** Numbers of the slices in the lane's columns. */
  readonly slices: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly timeBefore: Float64Array;
}

/** Half-open: `first` up to but without `last`. */
interface SliceRange {
  readonly first: number;
  readonly last: number;
}

/** One index for each row of a lane. */
export function indexRows({ rows, row, start, end }: Pick<TimelineLane, 'rows' | 'row' | 'start' | 'end'>): RowIndex[] {
  const byRow = Array.from({ length: rows }, (): number[] => []);
  for (const [slice, number] of row.entries()) byRow[number]?.push(slice);
  return byRow.map((slices) => {
    slices.sort((a, b) => at(start, a) - at(start, b) || at(end, a) - at(end, b));
    const timeBefore = new Float64Array(slices.length + 1);
    for (const [i, slice] of slices.entries()) timeBefore[i + 1] = at(timeBefore, i) + at(end, slice) - at(start, slice);
    return {
      slices: Uint32Array.from(slices),
      start: Float64Array.from(slices, (slice) => at(start, slice)),
      end: Float64Array.from(slices, (slice) => at(end, slice)),
      timeBefore,
    };
  });
}

/** All slices that reach into `from` to `to`, ends included. */
export function slicesBetween({ start, end }: RowIndex, from: number, to: number): SliceRange {
  const first = firstAtLeast(end, from);
  return { first, last: Math.max(first, firstAbove(start, to)) };
}

/** Time that slices of the row take of `from` to `to`. */
export function busyTime(row: RowIndex, from: number, to: number): number {
  const { first, last } = slicesBetween(row, from, to);
  if (first === last) return 0;
  const whole = at(row.timeBefore, last) - at(row.timeBefore, first);
  return whole - Math.max(0, from - at(row.start, first)) - Math.max(0, at(row.end, last - 1) - to);
}

/** Place of the first value ≥ `least` in ascending values; their number when there is none. */
export function firstAtLeast(values: Float64Array, least: number, from = 0): number {
  let [low, high] = [from, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(values, middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAbove(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(values, middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Element that is known to be there. */
export function at(values: Float64Array | Uint32Array, index: number): number {
  return values[index] ?? 0;
}
