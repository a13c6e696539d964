import { invalidArgument } from '#proto/wire/status.ts';
import { type DataByType, shapeText, sizeOf, type Tensor, zeros } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { copyStrided, dense, denseStrides } from './array-strided.ts';
import type { QueueSpec } from './queue-spec.ts';
import type { Element } from './queue-store.ts';
import { partialShapeText } from './shape.ts';

/** Is this one element for the queue? INVALID_ARGUMENT in TensorFlow's words when not. */
export function checkElement(spec: QueueSpec, tensors: Element): void {
  checkTypes(spec, tensors);
  for (const [index, wanted] of spec.shapes.entries()) checkShape(index, wanted, (tensors[index] as Tensor).shape);
}

function checkTypes({ types }: QueueSpec, tensors: Element): void {
  const given = tensors.map(({ dtype }) => dtype);
  if (given.join() === types.join()) return;
  throw invalidArgument(`Signature mismatch, have: resource, ${given.join(', ')}-> expected: resource, ${types.join(', ')}->`);
}

export function checkOutputTypes({ types }: QueueSpec, declared: readonly string[]): void {
  if (declared.join() === types.join()) return;
  throw invalidArgument(`Signature mismatch, have: resource->${declared.join(', ')} expected: resource->${types.join(', ')}`);
}

function checkShape(index: number, wanted: readonly number[] | undefined, shape: readonly number[]): void {
  const fits = !wanted || (wanted.length === shape.length && wanted.every((size, axis) => size < 0 || size === shape[axis]));
  if (!fits)
    throw invalidArgument(`Shape mismatch in tuple component ${index}. Expected ${partialShapeText(wanted)}, got ${shapeText(shape)}`);
}

/** The elements in a batch: the rows of each component. */
export function splitBatch(spec: QueueSpec, batch: Element): Element[] {
  checkTypes(spec, batch);
  const count = batch[0]?.shape[0] ?? -1;
  for (const [index, { shape }] of batch.entries()) {
    const wanted = spec.shapes[index] ?? shape.slice(1);
    checkShape(index, [count, ...wanted], shape);
  }
  return Array.from({ length: count }, (_, row) => batch.map((tensor) => rowOf(tensor, row)));
}

/** Rows of shared memory are views; others are copies, which hold nothing but themselves. */
function rowOf({ dtype, shape, data }: Tensor, row: number): Tensor {
  const count = data.length / (shape[0] as number);
  const [start, end] = [row * count, (row + 1) * count];
  const isShared = !Array.isArray(data) && data.buffer instanceof SharedArrayBuffer;
  const part = isShared ? data.subarray(start, end) : data.slice(start, end);
  return { dtype, shape: shape.slice(1), data: part as DataByType[typeof dtype] };
}

/** One tensor of the elements' tensors; smaller ones are padded with zeros up to the largest. */
function stack(tensors: readonly Tensor[]): Tensor[] {
  const first = tensors[0] as Tensor;
  const shape = first.shape.map((_, axis) => Math.max(...tensors.map((tensor) => tensor.shape[axis] as number)));
  const to = newCells(first.dtype, [tensors.length, ...shape]);
  const size = sizeOf(shape);
  const strides = denseStrides(shape);
  for (const [row, tensor] of tensors.entries()) {
    if (sizeOf(tensor.shape) === size) copyElements(cellsOf(tensor), 0, to, row * size, size);
    else copyStrided(tensor.shape, cellsOf(tensor), dense(tensor.shape), to, { offset: row * size, strides });
  }
  return [to.tensor];
}

/** Internal op of dequeues of several elements. */
export const STACK = '_QueueStack';

export const queueElementKernels: readonly PureKernelSpec[] = [{ kind: 'pure', op: STACK, compute: stack }];

/** What a dequeue of no element gives. */
export function emptyBatch({ types, shapes }: QueueSpec): Tensor[] {
  return types.map((dtype, index) => zeros(dtype, [0, ...(shapes[index] ?? []).map((size) => Math.max(size, 0))]));
}
