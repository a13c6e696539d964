import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, fillElements, newCells } from './array-cells.ts';
import { indexTensor } from './array-index.ts';
import { copyStrided, dense, denseStrides } from './array-strided.ts';
import { gathered } from './gather.ts';
import { indices } from './numeric-types.ts';

interface Padding {
  readonly before: number;
  readonly after: number;
}

function paddingsOf(tensor: Tensor, given: Tensor): Padding[] {
  if (given.shape.length !== 2 || given.shape[1] !== 2) {
    throw invalidArgument(`paddings must be a matrix with 2 columns: ${shapeText(given.shape)}`);
  }
  if (given.shape[0] !== tensor.shape.length) {
    throw invalidArgument(`The first dimension of paddings must be the rank of inputs${shapeText(given.shape)} ${shapeText(tensor.shape)}`);
  }
  const values = indices(given);
  return tensor.shape.map((_, axis) => {
    const [before, after] = [values[2 * axis] as number, values[2 * axis + 1] as number];
    if (before < 0 || after < 0) throw invalidArgument(`Paddings must be non-negative: ${before} ${after}`);
    return { before, after };
  });
}

function pad([tensor, paddingTensor, value]: readonly Tensor[]): Tensor[] {
  const input = tensor as Tensor;
  const paddings = paddingsOf(input, paddingTensor as Tensor);
  if (value && value.shape.length > 0) throw invalidArgument(`constant_values must be a scalar. Found: ${shapeText(value.shape)}`);
  if (paddings.every(({ before, after }) => before + after === 0)) return [input];
  const shape = input.shape.map((size, axis) => size + (paddings[axis] as Padding).before + (paddings[axis] as Padding).after);
  const to = newCells(input.dtype, shape);
  if (value) fillElements(to, cellsOf(value));
  const strides = denseStrides(shape);
  const offset = paddings.reduce((sum, { before }, axis) => sum + before * (strides[axis] as number), 0);
  copyStrided(input.shape, cellsOf(input), dense(input.shape), to, { offset, strides });
  return [to.tensor];
}

/** SYMMETRIC repeats the border element itself, REFLECT does not. */
const mirrors: Readonly<Record<string, { readonly skip: number; readonly text: readonly [string, string] }>> = {
  REFLECT: { skip: 1, text: ['less than', 'not less than'] },
  SYMMETRIC: { skip: 0, text: ['no greater than', 'greater than'] },
};

function mirrorPad([tensor, paddingTensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const mode = attrs.text('mode');
  const mirror = mirrors[mode];
  if (!mirror) throw invalidArgument(`mode must be either REFLECT or SYMMETRIC, not ${mode}`);
  const { skip, text } = mirror;
  let result = tensor as Tensor;
  for (const [axis, { before, after }] of paddingsOf(result, paddingTensor as Tensor).entries()) {
    const size = result.shape[axis] as number;
    if (before > size - skip || after > size - skip) {
      throw invalidArgument(`paddings must be ${text[0]} the dimension size: ${before}, ${after} ${text[1]} ${size}`);
    }
    const picks = Array.from({ length: before + size + after }, (_, index) => reflected(index - before, size, skip));
    if (before + after > 0) result = gathered(result, indexTensor('int32', picks), { axis, batchDims: 0 });
  }
  return [result];
}

function reflected(index: number, size: number, skip: number): number {
  if (index < 0) return -index - 1 + skip;
  return index < size ? index : 2 * size - index - 1 - skip;
}

function cost([tensor, paddingTensor]: readonly Tensor[]): number {
  const values = indices(paddingTensor as Tensor);
  return (tensor as Tensor).shape.reduce((size, dim, axis) => size * (dim + (values[2 * axis] ?? 0) + (values[2 * axis + 1] ?? 0)), 1);
}

export const padKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Pad', cost, compute: pad },
  { kind: 'pure', op: 'PadV2', cost, compute: pad },
  { kind: 'pure', op: 'MirrorPad', cost: (inputs) => 3 * cost(inputs), compute: mirrorPad },
];
