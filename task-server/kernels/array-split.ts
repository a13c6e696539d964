import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { firstIndex, resolveAxis } from './array-index.ts';
import { packAxis } from './array-join.ts';
import { indices } from './numeric-types.ts';
import { withShape } from './shape.ts';

/** Cuts a tensor along an axis into pieces of the given sizes. */
function pieces(tensor: Tensor, axis: number, sizes: readonly number[]): Tensor[] {
  if (sizes.length === 1) return [tensor];
  const { dtype, shape } = tensor;
  const outer = sizeOf(shape.slice(0, axis));
  const inner = sizeOf(shape.slice(axis + 1));
  const row = (shape[axis] as number) * inner;
  const from = cellsOf(tensor);
  let offset = 0;
  return sizes.map((size) => {
    const to = newCells(dtype, shape.with(axis, size));
    const run = size * inner;
    for (let index = 0; index < outer; index++) copyElements(from, index * row + offset, to, index * run, run);
    offset += run;
    return to.tensor;
  });
}

function splitAxis(dim: Tensor, rank: number): number {
  if (dim.shape.length > 0) throw invalidArgument(`split_dim must be a scalar but has rank ${dim.shape.length}`);
  const given = firstIndex(dim);
  return resolveAxis(given, rank, () => invalidArgument(`-input rank(-${rank}) <= split_dim < input rank (${rank}), but got ${given}`));
}

function split([dim, tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensor as Tensor;
  const count = attrs.int('num_split');
  const axis = splitAxis(dim as Tensor, shape.length);
  const total = shape[axis] as number;
  if (total % count !== 0) {
    throw invalidArgument(
      `Number of ways to split should evenly divide the split dimension, but got split_dim ${axis} (size = ${total}) and num_split ${count}`,
    );
  }
  return pieces(tensor as Tensor, axis, new Array<number>(count).fill(total / count));
}

function splitV([tensor, sizeTensor, dim]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensor as Tensor;
  const given = sizeTensor as Tensor;
  if (given.shape.length !== 1 || given.data.length !== attrs.int('num_split')) {
    throw invalidArgument(
      `size of the split_tensor must be 1-D and have the same elements as outputs got ${given.shape.length} -D and ${given.data.length} elements`,
    );
  }
  const axis = splitAxis(dim as Tensor, shape.length);
  return pieces(tensor as Tensor, axis, splitSizes(indices(given), shape[axis] as number));
}

/** One size may be -1: what the others leave over. */
function splitSizes(sizes: readonly number[], total: number): number[] {
  if (sizes.length === 1 && sizes[0] !== total) {
    throw invalidArgument(
      `If there is only one output, it must have the same size as the input. Input size: ${total} output size: ${sizes[0]}`,
    );
  }
  const open = sizes.indexOf(-1);
  if (open >= 0 && sizes.indexOf(-1, open + 1) >= 0) throw invalidArgument('There can only be one -1 in the input.');
  const bad = sizes.findIndex((size, index) => size < 0 && index !== open);
  if (bad >= 0) throw invalidArgument(`Split size at index ${bad} must be >= 0. Got: ${sizes[bad]}`);
  const known = sizes.reduce((sum, size) => sum + Math.max(size, 0), 0);
  if (open >= 0 ? known > total : known !== total) {
    throw invalidArgument(
      `Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: ${known}`,
    );
  }
  return sizes.map((size, index) => (index === open ? total - known : size));
}

function unpack([tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensor as Tensor;
  const count = attrs.int('num');
  const axis = packAxis(attrs.int('axis'), shape.length);
  if (shape[axis] !== count) throw invalidArgument(`Input shape axis ${axis} must equal ${count}, got shape ${shapeText(shape)}`);
  const cut = pieces(tensor as Tensor, axis, new Array<number>(count).fill(1));
  return cut.map((piece) => withShape(piece, shape.toSpliced(axis, 1)));
}

export const splitKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Split', compute: split },
  { kind: 'pure', op: 'SplitV', compute: splitV },
  { kind: 'pure', op: 'Unpack', compute: unpack },
];
