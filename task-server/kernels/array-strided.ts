import { type CellArray, type Cells, copyRun } from './array-cells.ts';

/** How a block of elements lies in an array: the first one and the distance between neighbours in each dimension, in elements. */
export interface Layout {
  readonly offset: number;
  readonly strides: readonly number[];
}

/** Row-major distances: the layout of a whole tensor. */
export function denseStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= shape[axis] as number;
  }
  return strides;
}

export function dense(shape: readonly number[]): Layout {
  return { offset: 0, strides: denseStrides(shape) };
}

/** One loop of a copy. Strides are in cells. */
interface Loop {
  size: number;
  from: number;
  to: number;
}

/**
 * Copies a block of `shape` from one layout to another. Strides may be negative (reversed) or 0 (repeated, in `from`).
 * Dimensions that lie alike on both sides are walked as one, and runs without gaps are moved in bulk.
 */
export function copyStrided(shape: readonly number[], from: Cells, source: Layout, to: Cells, target: Layout): void {
  const { width } = from;
  const loops: Loop[] = [];
  for (const [axis, size] of shape.entries()) {
    if (size === 0) return;
    addLoop(loops, { size, from: (source.strides[axis] as number) * width, to: (target.strides[axis] as number) * width });
  }
  addLoop(loops, { size: width, from: 1, to: 1 });
  walk(loops, from.cells, source.offset * width, to.cells, target.offset * width);
}

function addLoop(loops: Loop[], loop: Loop): void {
  if (loop.size === 1) return;
  const outer = loops.at(-1);
  if (outer && outer.from === loop.from * loop.size && outer.to === loop.to * loop.size) {
    outer.size *= loop.size;
    outer.from = loop.from;
    outer.to = loop.to;
  } else loops.push(loop);
}

function walk(loops: readonly Loop[], from: CellArray, start: number, to: CellArray, at: number): void {
  const inner = loops.at(-1) ?? { size: 1, from: 1, to: 1 };
  const middle = loops.at(-2) ?? { size: 1, from: 0, to: 0 };
  const depth = loops.length - 2;
  const step = (level: number, source: number, target: number): void => {
    if (level < depth) {
      const loop = loops[level] as Loop;
      for (let i = 0; i < loop.size; i++) step(level + 1, source + i * loop.from, target + i * loop.to);
    } else copyPlane(middle, inner, from, source, to, target);
  };
  step(0, start, at);
}

function copyPlane(rows: Loop, columns: Loop, from: CellArray, start: number, to: CellArray, at: number): void {
  for (let row = 0; row < rows.size; row++) {
    const source = start + row * rows.from;
    const target = at + row * rows.to;
    if (columns.from === 1 && columns.to === 1) copyRun(from, source, to, target, columns.size);
    else copyColumn(columns, from, source, to, target);
  }
}

function copyColumn({ size, from: fromStep, to: toStep }: Loop, from: CellArray, start: number, to: CellArray, at: number): void {
  for (let i = 0, source = start, target = at; i < size; i++, source += fromStep, target += toStep) to[target] = from[source] as number;
}
