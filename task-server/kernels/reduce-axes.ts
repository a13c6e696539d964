import { invalidArgument } from '#proto/wire/status.ts';

/** `values` seen as [outer, count, inner]; the middle one is folded away. */
export interface Pass {
  readonly outer: number;
  readonly count: number;
  readonly inner: number;
}

export interface ReductionPlan {
  readonly shape: readonly number[];
  /** Number of elements that become one. */
  readonly folded: number;
  /** One for each run of neighbouring reduced dimensions, innermost first; each works on the result of the one before. At least one. */
  readonly passes: readonly Pass[];
}

export function planReduction(input: readonly number[], axes: readonly number[], keepDims = false): ReductionPlan {
  const reduced = reducedDims(input.length, axes);
  const shape: number[] = [];
  let folded = 1;
  for (const [axis, dim] of input.entries()) {
    if (reduced[axis]) folded *= dim;
    if (!reduced[axis] || keepDims) shape.push(reduced[axis] ? 1 : dim);
  }
  return { shape, folded, passes: passesOver(input, reduced) };
}

function reducedDims(rank: number, axes: readonly number[]): boolean[] {
  const reduced = new Array<boolean>(rank).fill(false);
  for (const given of axes) {
    if (given < -rank || given >= rank) throw invalidArgument(`Invalid reduction dimension (${given} for input with ${rank} dimension(s)`);
    const axis = given < 0 ? given + rank : given;
    if (reduced[axis]) throw invalidArgument(`Invalid reduction arguments: Axes contains duplicate dimension: ${axis}`);
    reduced[axis] = true;
  }
  return reduced;
}

function passesOver(input: readonly number[], reduced: readonly boolean[]): Pass[] {
  const passes: Pass[] = [];
  let outer = input.reduce((size, dim) => size * dim, 1);
  // A zero would swallow the sizes of the other dimensions.
  if (outer === 0) return [emptyPass(input, reduced)];
  let inner = 1;
  for (let axis = input.length - 1; axis >= 0; axis--) {
    if (!reduced[axis]) {
      inner *= input[axis] as number;
      outer /= input[axis] as number;
      continue;
    }
    let count = 1;
    for (; axis >= 0 && reduced[axis]; axis--) count *= input[axis] as number;
    axis++;
    outer /= count;
    if (count > 1) passes.push({ outer, count, inner });
  }
  return passes.length > 0 ? passes : [{ outer: inner, count: 1, inner: 1 }];
}

/** No elements: the results, if there are any, are what the fold starts with. */
function emptyPass(input: readonly number[], reduced: readonly boolean[]): Pass {
  return { outer: input.reduce((size, dim, axis) => (reduced[axis] ? size : size * dim), 1), count: 0, inner: 1 };
}

/** [outer, count, inner] around one axis, which may count from the end. */
export function aroundAxis(shape: readonly number[], axis: number): Pass {
  const product = (dims: readonly number[]) => dims.reduce((size, dim) => size * dim, 1);
  return { outer: product(shape.slice(0, axis)), count: shape[axis] ?? 1, inner: product(shape.slice(axis + 1)) };
}
