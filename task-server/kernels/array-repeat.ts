import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, newCells } from './array-cells.ts';
import { checkedDims } from './array-index.ts';
import { copyStrided, dense, denseStrides } from './array-strided.ts';
import { commonShape, sameShape } from './broadcast.ts';
import { indices } from './numeric-types.ts';

function tile([tensor, multiples]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  const given = multiples as Tensor;
  if (given.shape.length !== 1) throw invalidArgument(`Expected multiples to be 1-D, but got shape ${shapeText(given.shape)}`);
  const counts = indices(given);
  if (counts.length !== shape.length) {
    throw invalidArgument(`Expected multiples argument to be a vector of length ${shape.length} but got length ${counts.length}`);
  }
  const bad = counts.findIndex((count) => count < 0);
  if (bad >= 0) throw invalidArgument(`Expected multiples[${bad}] >= 0, but got ${counts[bad]}`);
  const to = newCells(
    dtype,
    shape.map((size, axis) => size * (counts[axis] as number)),
  );
  // Each dimension becomes two: the repetitions, which do not move in the input, and the dimension itself.
  const strides = denseStrides(shape);
  const walked = shape.flatMap((size, axis) => [counts[axis] as number, size]);
  const source = { offset: 0, strides: shape.flatMap((_, axis) => [0, strides[axis] as number]) };
  copyStrided(walked, cellsOf(tensor as Tensor), source, to, dense(walked));
  return [to.tensor];
}

function broadcastTo([tensor, sizes]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  const given = sizes as Tensor;
  if (given.shape.length !== 1) {
    throw invalidArgument(`shape must be a vector of {int32,int64}, got shape ${shapeText(given.shape)}`);
  }
  const target = checkedDims(indices(given));
  if (target.length < shape.length) {
    throw invalidArgument(`Rank of input (${shape.length}) must be no greater than rank of output shape (${target.length}).`);
  }
  const common = commonShape(shape, target);
  if (!common || !sameShape(common, target)) {
    throw invalidArgument(`Incompatible shapes: ${shapeText(shape)} vs. ${shapeText(target)}`);
  }
  if (sameShape(shape, target)) return [tensor as Tensor];
  const to = newCells(dtype, target);
  const own = denseStrides(shape);
  const shift = target.length - shape.length;
  const strides = target.map((_, axis) => ((shape[axis - shift] ?? 1) === 1 ? 0 : (own[axis - shift] as number)));
  copyStrided(target, cellsOf(tensor as Tensor), { offset: 0, strides }, to, dense(target));
  return [to.tensor];
}

const product = (values: readonly number[]) => Math.abs(sizeOf(values));

export const repeatKernels: readonly PureKernelSpec[] = [
  {
    kind: 'pure',
    op: 'Tile',
    cost: ([tensor, multiples]) => (tensor as Tensor).data.length * product(indices(multiples as Tensor)),
    compute: tile,
  },
  { kind: 'pure', op: 'BroadcastTo', cost: ([, sizes]) => product(indices(sizes as Tensor)), compute: broadcastTo },
];
