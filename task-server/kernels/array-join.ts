import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { firstIndex, isScalarLike, resolveAxis } from './array-index.ts';
import { sameShape } from './broadcast.ts';
import { withShape } from './shape.ts';

/** Joins tensors that agree in all dimensions but `axis`. */
export function concatenated(tensors: readonly Tensor[], axis: number): Tensor {
  const first = tensors[0] as Tensor;
  const outer = sizeOf(first.shape.slice(0, axis));
  const inner = sizeOf(first.shape.slice(axis + 1));
  const total = tensors.reduce((sum, { shape }) => sum + (shape[axis] as number), 0);
  const to = newCells(first.dtype, first.shape.with(axis, total));
  let offset = 0;
  for (const tensor of tensors) {
    const from = cellsOf(tensor);
    const run = (tensor.shape[axis] as number) * inner;
    for (let row = 0; row < outer; row++) copyElements(from, row * run, to, row * total * inner + offset, run);
    offset += run;
  }
  return to.tensor;
}

function concat(axisTensor: Tensor, tensors: readonly Tensor[]): Tensor[] {
  if (!isScalarLike(axisTensor)) {
    throw invalidArgument(`axis tensor should be a scalar integer, but got shape ${shapeText(axisTensor.shape)}`);
  }
  const first = (tensors[0] as Tensor).shape;
  const given = firstIndex(axisTensor);
  if (first.length === 0) throw concatError("Can't concatenate scalars (use tf.stack instead)");
  const axis = resolveAxis(given, first.length, () =>
    concatError(`Expected concatenating dimensions in the range [${-first.length}, ${first.length}), but got ${given}`),
  );
  for (const [input, { shape }] of tensors.entries()) checkConcat(first, shape, input, axis);
  return [tensors.length === 1 ? (tensors[0] as Tensor) : concatenated(tensors, axis)];
}

function checkConcat(first: readonly number[], shape: readonly number[], input: number, axis: number): void {
  const versus = `shape[0] = ${shapeText(first)} vs. shape[${input}] = ${shapeText(shape)}`;
  if (shape.length !== first.length) throw concatError(`Ranks of all input tensors should match: ${versus}`);
  const bad = shape.findIndex((size, dim) => dim !== axis && size !== first[dim]);
  if (bad >= 0) throw concatError(`Dimension ${bad} in both shapes must be equal: ${versus}`);
}

const concatError = (text: string) => invalidArgument(`ConcatOp : ${text}`);

/** Pack and Unpack count axes in the same words. */
export function packAxis(given: number, rank: number): number {
  return resolveAxis(given, rank, () => invalidArgument(`axis = ${given} not in [${rank === 0 ? 0 : -rank}, ${rank})`));
}

function pack(tensors: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensors[0] as Tensor;
  const bad = tensors.findIndex((tensor) => !sameShape(tensor.shape, shape));
  if (bad >= 0) {
    const other = shapeText((tensors[bad] as Tensor).shape);
    throw invalidArgument(`Shapes of all inputs must match: values[0].shape = ${shapeText(shape)} != values[${bad}].shape = ${other}`);
  }
  const axis = packAxis(attrs.int('axis'), shape.length + 1);
  return [
    concatenated(
      tensors.map((tensor) => withShape(tensor, shape.toSpliced(axis, 0, 1))),
      axis,
    ),
  ];
}

export const joinKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Concat', compute: ([axis, ...tensors]) => concat(axis as Tensor, tensors) },
  { kind: 'pure', op: 'ConcatV2', compute: (inputs) => concat(inputs.at(-1) as Tensor, inputs.slice(0, -1)) },
  { kind: 'pure', op: 'Pack', compute: pack },
];
