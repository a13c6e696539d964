import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf } from '#proto/wire/tensor.ts';

/** A run of elements that one tight loop handles: where each array starts and how far it moves, 0 or 1, per element. */
export interface Span {
  a: number;
  aStep: 0 | 1;
  b: number;
  bStep: 0 | 1;
  out: number;
  count: number;
}

type Shape = readonly number[];

export function sameShape(a: Shape, b: Shape): boolean {
  return a === b || (a.length === b.length && a.every((dim, index) => dim === b[index]));
}

/** The shape that both broadcast to, undefined when they do not fit. */
export function commonShape(a: Shape, b: Shape): Shape | undefined {
  if (sameShape(a, b)) return a;
  const rank = Math.max(a.length, b.length);
  const shape: number[] = [];
  for (let index = 0; index < rank; index++) {
    const left = a[index - rank + a.length] ?? 1;
    const right = b[index - rank + b.length] ?? 1;
    if (left !== right && left !== 1 && right !== 1) return undefined;
    shape.push(left === 1 ? right : left);
  }
  return shape;
}

export function broadcastShape(a: Shape, b: Shape): Shape {
  const shape = commonShape(a, b);
  if (!shape) throw invalidArgument(`Incompatible shapes: ${shapeText(a)} vs. ${shapeText(b)}`);
  return shape;
}

/**
 * Cuts a broadcast of `a` and `b` to `shape` into spans, as long as possible: equal shapes and scalars are one. The
 * object that `visit` gets is the same each time.
 */
export function eachSpan(a: Shape, b: Shape, shape: Shape, visit: (span: Span) => void): void {
  const count = sizeOf(shape);
  const aCount = sizeOf(a);
  const bCount = sizeOf(b);
  const aStep = aCount === 1 && count !== 1 ? 0 : 1;
  const bStep = bCount === 1 && count !== 1 ? 0 : 1;
  if (count === 0) return;
  const span: Span = { a: 0, aStep, b: 0, bStep, out: 0, count };
  if ((aStep === 0 || aCount === count) && (bStep === 0 || bCount === count)) visit(span);
  else walk(span, runs(a, b, shape), visit);
}

/** Neighbouring dimensions that move both arrays in the same way, taken together; innermost first. */
interface Run {
  size: number;
  readonly aStep: 0 | 1;
  readonly bStep: 0 | 1;
}

function runs(a: Shape, b: Shape, shape: Shape): Run[] {
  const found: Run[] = [];
  for (let back = 1; back <= shape.length; back++) {
    const size = shape[shape.length - back] as number;
    if (size === 1) continue;
    const aStep = (a[a.length - back] ?? 1) === 1 ? 0 : 1;
    const bStep = (b[b.length - back] ?? 1) === 1 ? 0 : 1;
    const last = found.at(-1);
    if (last && last.aStep === aStep && last.bStep === bStep) last.size *= size;
    else found.push({ size, aStep, bStep });
  }
  return found;
}

function walk(span: Span, [inner, ...outer]: readonly Run[], visit: (span: Span) => void): void {
  if (!inner) return;
  Object.assign(span, { aStep: inner.aStep, bStep: inner.bStep, count: inner.size });
  const repeat = (level: number, aSize: number, bSize: number): void => {
    if (level < 0) {
      visit(span);
      span.out += inner.size;
      return;
    }
    const { size, aStep, bStep } = outer[level] as Run;
    const a = span.a;
    const b = span.b;
    const aInside = aSize / (aStep ? size : 1);
    const bInside = bSize / (bStep ? size : 1);
    for (let index = 0; index < size; index++) {
      span.a = a + aStep * index * aInside;
      span.b = b + bStep * index * bInside;
      repeat(level - 1, aInside, bInside);
    }
  };
  const extent = (step: 'aStep' | 'bStep') => [inner, ...outer].reduce((size, run) => (run[step] ? size * run.size : size), 1);
  repeat(outer.length - 1, extent('aStep'), extent('bStep'));
}

/** For ops that do not broadcast. `node` is the name of the node, as TensorFlow words it. */
export function requireSameShape(node: string, op: string, shapes: readonly Shape[]): void {
  const [first] = shapes as readonly [Shape];
  shapes.forEach((shape, index) => {
    if (sameShape(first, shape)) return;
    const differ = `Input 0: ${shapeText(first)} != input ${index}: ${shapeText(shape)}`;
    throw invalidArgument(`Inputs to operation ${node} of type ${op} must have the same size and shape.  ${differ}`);
  });
}

/** For each element of `shape` the index of the element of `from` that broadcasts to it; undefined when that is the same index. */
export function broadcastIndices(from: Shape, shape: Shape): Int32Array | undefined {
  if (sizeOf(from) === sizeOf(shape)) return undefined;
  let found = new Int32Array(1);
  let size = 1;
  for (let back = 1; back <= shape.length; back++) {
    const dim = shape[shape.length - back] as number;
    const moves = (from[from.length - back] ?? 1) !== 1;
    const next = new Int32Array(found.length * dim);
    for (let index = 0; index < dim; index++) {
      for (let i = 0; i < found.length; i++) next[index * found.length + i] = (found[i] as number) + (moves ? index * size : 0);
    }
    if (moves) size *= dim;
    found = next;
  }
  return found;
}
