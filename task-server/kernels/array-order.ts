import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, newCells } from './array-cells.ts';
import { copyStrided, dense, denseStrides } from './array-strided.ts';
import { indices } from './numeric-types.ts';
import { withShape } from './shape.ts';

export function transposed(tensor: Tensor, permutation: readonly number[]): Tensor {
  const shape = permutation.map((axis) => tensor.shape[axis] as number);
  const moving = permutation.filter((axis) => tensor.shape[axis] !== 1);
  if (moving.every((axis, index) => index === 0 || axis > (moving[index - 1] as number))) return withShape(tensor, shape);
  const strides = denseStrides(tensor.shape);
  const to = newCells(tensor.dtype, shape);
  const source = { offset: 0, strides: permutation.map((axis) => strides[axis] as number) };
  copyStrided(shape, cellsOf(tensor), source, to, dense(shape));
  return to.tensor;
}

function transpose([tensor, perm]: readonly Tensor[]): Tensor[] {
  return [transposed(tensor as Tensor, checkedPermutation(perm as Tensor, (tensor as Tensor).shape.length))];
}

function checkedPermutation(perm: Tensor, rank: number): number[] {
  if (perm.shape.length !== 1) throw invalidArgument(`perm must be rank 1, got shape ${shapeText(perm.shape)}`);
  const given = indices(perm);
  if (given.length !== rank) {
    throw invalidArgument(`transpose expects a vector of size ${rank}. But input(1) is a vector of size ${given.length}`);
  }
  const axes = given.map((axis) => {
    const resolved = axis < 0 ? axis + rank : axis;
    if (resolved < 0 || resolved >= rank) throw invalidArgument(`${axis} is out of range [0 .. ${rank})`);
    return resolved;
  });
  const missing = axes.findIndex((_, axis) => !axes.includes(axis));
  if (missing >= 0) throw invalidArgument(`${missing} is missing from {${given.join(',')}}.`);
  return axes;
}

function conjugateTranspose(inputs: readonly Tensor[]): Tensor[] {
  const [result] = transpose(inputs) as [Tensor];
  if (result.dtype !== 'complex64' && result.dtype !== 'complex128') return [result];
  const parts = result.data as Float32Array | Float64Array;
  return [{ ...result, data: parts.map((part, index) => (index % 2 === 1 ? -part : part)) }];
}

function reversed(tensor: Tensor, axes: ReadonlySet<number>): Tensor {
  const { dtype, shape } = tensor;
  if (axes.size === 0 || tensor.data.length === 0) return tensor;
  const own = denseStrides(shape);
  const to = newCells(dtype, shape);
  let offset = 0;
  for (const axis of axes) offset += ((shape[axis] as number) - 1) * (own[axis] as number);
  const strides = own.map((stride, axis) => (axes.has(axis) ? -stride : stride));
  copyStrided(shape, cellsOf(tensor), { offset, strides }, to, dense(shape));
  return to.tensor;
}

function reverse([tensor, dims]: readonly Tensor[]): Tensor[] {
  const { length: rank } = (tensor as Tensor).shape;
  const flags = dims as Tensor<'bool'>;
  if (flags.data.length !== rank) {
    throw invalidArgument(
      `'dims' must have the same number of values as 'input' has dimensions. 'input' has ${rank}'dims' has ${flags.data.length} values`,
    );
  }
  return [reversed(tensor as Tensor, new Set([...flags.data.keys()].filter((axis) => flags.data[axis] === 1)))];
}

function reverseV2([tensor, axisTensor]: readonly Tensor[]): Tensor[] {
  const { length: rank } = (tensor as Tensor).shape;
  const given = axisTensor as Tensor;
  if (given.shape.length !== 1) throw invalidArgument(`'dims' must be 1-dimension, not ${given.shape.length}`);
  const axes = new Set<number>();
  for (const [index, axis] of indices(given).entries()) {
    const resolved = axis < 0 ? axis + rank : axis;
    if (resolved < 0 || resolved >= rank) throw invalidArgument(`'axis'[${index}] = ${axis} is out of valid range [0, ${rank - 1}`);
    if (axes.has(resolved)) throw invalidArgument(`axis ${resolved} specified more than once.`);
    axes.add(resolved);
  }
  return [reversed(tensor as Tensor, axes)];
}

/** Cells that jump through memory cost more than those that follow each other. */
const jumping = ([tensor]: readonly Tensor[]) => 5 * (tensor as Tensor).data.length;

export const orderKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Transpose', cost: jumping, compute: transpose },
  { kind: 'pure', op: 'ConjugateTranspose', cost: jumping, compute: conjugateTranspose },
  { kind: 'pure', op: 'Reverse', cost: jumping, compute: reverse },
  { kind: 'pure', op: 'ReverseV2', cost: jumping, compute: reverseV2 },
];
