import { at, firstAtLeast, type RowIndex, slicesBetween } from './row-index.ts';
import { type TimeScale, timeAt, xOf } from './time-view.ts';

/** What is drawn for one slice, or for several neighbours that are each narrower than a pixel. */
export interface Block {
  readonly x: number;
  /** In pixels, at least 1. */
  readonly width: number;
  /** Number of the first slice in the lane's columns. */
  readonly slice: number;
  readonly count: number;
  /** Time of all its slices, in microseconds: merging loses none. */
  readonly time: number;
}

/**
 * The blocks of one row, left to right. Their number is bounded by the pixels, not by the slices: what begins within one
 * pixel is found by binary search and drawn as one. A slice that is wider than a pixel always stands alone.
 */
export function blocksOf(row: RowIndex, scale: TimeScale): Block[] {
  const { first, last } = slicesBetween(row, scale.start, scale.start + scale.span);
  const pixel = scale.span / scale.width;
  const blocks: Block[] = [];
  for (let i = first; i < last; ) {
    const next = isWide(row, i, pixel) ? i + 1 : endOfPixel(row, i, last, scale);
    blocks.push(block(row, i, next, scale));
    i = next;
  }
  return blocks;
}

/** First slice behind the pixel in which slice `i` begins. Only the last one that begins in a pixel can be wide. */
function endOfPixel(row: RowIndex, i: number, last: number, scale: TimeScale): number {
  const x = Math.floor(xOf(scale, at(row.start, i)));
  const next = Math.min(last, Math.max(i + 1, firstAtLeast(row.start, timeAt(scale, x + 1), i)));
  return next - i > 1 && isWide(row, next - 1, scale.span / scale.width) ? next - 1 : next;
}

function isWide({ start, end }: RowIndex, i: number, pixel: number): boolean {
  return at(end, i) - at(start, i) >= pixel;
}

function block(row: RowIndex, first: number, next: number, scale: TimeScale): Block {
  const x = xOf(scale, at(row.start, first));
  return {
    x,
    width: Math.max(1, xOf(scale, at(row.end, next - 1)) - x),
    slice: at(row.slices, first),
    count: next - first,
    time: next - first === 1 ? at(row.end, first) - at(row.start, first) : at(row.timeBefore, next) - at(row.timeBefore, first),
  };
}
