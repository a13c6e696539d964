/** Which rows of a long list exist as elements: those in sight and some above and below. */
export interface VirtualRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

const EXTRA = 8;

/** `scrollTop` and `height` of the part in sight, in the unit of `rowHeight`. */
export function virtualRange(rows: number, rowHeight: number, scrollTop: number, height: number): VirtualRange {
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - EXTRA, rows - 1));
  const end = Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + EXTRA);
  return { first, end: Math.max(first, end) };
}
