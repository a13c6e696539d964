import { invalidArgument } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { firstIndex, indexTensor, resolveAxis } from './array-index.ts';
import { indices } from './numeric-types.ts';

function concatOffset([axisTensor, ...shapes]: readonly Tensor[]): Tensor[] {
  const sizes = shapes.map(indices);
  const first = sizes[0] as number[];
  const given = firstIndex(axisTensor as Tensor);
  const axis = resolveAxis(given, first.length, () => invalidArgument(`Concat dim is out of range: ${given} vs. ${first.length}`));
  let offset = 0;
  return sizes.map((own, input) => {
    checkConcatShape(own, input, first, axis);
    const start = own.map((_, at) => (at === axis ? offset : 0));
    offset += own[axis] as number;
    return indexTensor((shapes[0] as Tensor).dtype, start);
  });
}

function checkConcatShape(own: readonly number[], input: number, first: readonly number[], axis: number): void {
  if (own.length !== first.length) throw invalidArgument(`input ${input} should contain ${first.length} elements, but got ${own.length}`);
  if (own.some((size, at) => at !== axis && size !== first[at])) {
    throw invalidArgument(
      `All dimensions except ${axis} must match. Input ${input} has shape [${own.join(' ')}] and doesn't match input 0 with shape [${first.join(' ')}].`,
    );
  }
}

function invertPermutation([tensor]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  if (shape.length !== 1) throw invalidArgument('invert_permutation expects a 1D vector.');
  const values = indices(tensor as Tensor);
  const inverse = new Array<number>(values.length).fill(-1);
  for (const [at, value] of values.entries()) {
    if (value < 0 || value >= values.length) throw invalidArgument(`${value} is not between 0 and ${values.length}`);
    if (inverse[value] !== -1) throw invalidArgument(`${value} is duplicated in the input.`);
    inverse[value] = at;
  }
  return [indexTensor(dtype, inverse)];
}

export const shapeArithmeticKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'ConcatOffset', compute: concatOffset },
  { kind: 'pure', op: 'InvertPermutation', compute: invertPermutation },
];
