import type { PartialShape } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** Size of a dimension that is not known before the run. */
export const UNKNOWN = -1;

export function isFullyKnown(shape: PartialShape): shape is readonly number[] {
  return shape?.every((dim) => dim >= 0) ?? false;
}

/** Could a tensor of this shape pass where that shape is declared? */
export function isCompatible(shape: readonly number[], declared: PartialShape): boolean {
  if (declared === undefined) return true;
  return shape.length === declared.length && shape.every((dim, i) => declared[i] === UNKNOWN || dim === UNKNOWN || declared[i] === dim);
}

/** Two statements about one dimension as one. */
export function mergeDims(a: number, b: number): number {
  if (a === UNKNOWN) return b;
  if (b === UNKNOWN || a === b) return a;
  throw invalidArgument(`Dimensions must be equal, but are ${a} and ${b}`);
}

/** Two statements about one shape as one. */
export function mergeShapes(a: PartialShape, b: PartialShape): PartialShape {
  if (!a) return b;
  if (!b) return a;
  if (a.length !== b.length) throw invalidArgument(`Shapes must be equal rank, but are ${a.length} and ${b.length}`);
  return a.map((dim, i) => mergeDims(dim, b[i] ?? UNKNOWN));
}

/** What may come out of either of two branches: only what both agree on. */
export function joinShapes(a: PartialShape, b: PartialShape): PartialShape {
  if (!a || !b || a.length !== b.length) return undefined;
  return a.map((dim, i) => (dim === b[i] ? dim : UNKNOWN));
}

/** The rule of NumPy: shapes are aligned at the right, a dimension of 1 stretches. */
export function broadcastShapes(a: PartialShape, b: PartialShape): PartialShape {
  if (!a || !b) return undefined;
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => broadcastDims(a[a.length - rank + i] ?? 1, b[b.length - rank + i] ?? 1));
}

function broadcastDims(a: number, b: number): number {
  if (a === 1) return b;
  if (b === 1) return a;
  // An unknown dimension that meets a size above 1 must be that size or 1.
  return mergeDims(a, b);
}

/** An axis counted from the front; negative ones count from the back. */
export function normalizeAxis(axis: number, rank: number): number {
  if (axis < -rank || axis >= rank) throw invalidArgument(`Axis must be in the range [${-rank}, ${rank}), but is ${axis}`);
  return axis < 0 ? axis + rank : axis;
}

/** Product of the dimensions; -1 when one of them is unknown. */
export function productOf(dims: readonly number[]): number {
  return dims.includes(UNKNOWN) ? UNKNOWN : dims.reduce((product, dim) => product * dim, 1);
}
