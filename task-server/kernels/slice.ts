import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, newCells } from './array-cells.ts';
import { copyStrided, dense, denseStrides } from './array-strided.ts';
import { indices } from './numeric-types.ts';

/** The block of a tensor from `start` on, in a new tensor. */
export function sliced(tensor: Tensor, start: readonly number[], shape: readonly number[]): Tensor {
  const to = newCells(tensor.dtype, shape);
  const strides = denseStrides(tensor.shape);
  const offset = start.reduce((sum, at, axis) => sum + at * (strides[axis] as number), 0);
  copyStrided(shape, cellsOf(tensor), { offset, strides }, to, dense(shape));
  return to.tensor;
}

function slice([tensor, begin, size]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  const rank = shape.length;
  for (const each of [begin, size] as Tensor[]) {
    if (each.shape.length === 1 && each.data.length === rank) continue;
    throw invalidArgument(
      `Expected begin and size arguments to be 1-D tensors of size ${rank}, but got shapes ${shapeText((begin as Tensor).shape)} and ${shapeText((size as Tensor).shape)} instead.`,
    );
  }
  const start = indices(begin as Tensor);
  const sizes = indices(size as Tensor).map((given, axis) => {
    const total = shape[axis] as number;
    const at = start[axis] as number;
    if (at < 0 || at > total) throw invalidArgument(`Expected begin[${axis}] in [0, ${total}], but got ${at}`);
    const rest = total - at;
    if (given < -1 || given > rest) throw invalidArgument(`Expected size[${axis}] in [0, ${rest}], but got ${given}`);
    return given === -1 ? rest : given;
  });
  const whole = sizes.every((each, axis) => each === shape[axis]);
  return [whole ? (tensor as Tensor) : sliced(tensor as Tensor, start, sizes)];
}

function sliceCost([, , size]: readonly Tensor[]): number {
  return sizeOf(indices(size as Tensor).map(Math.abs));
}

export const sliceKernels: readonly PureKernelSpec[] = [{ kind: 'pure', op: 'Slice', cost: sliceCost, compute: slice }];
