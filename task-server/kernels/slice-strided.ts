import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, newCells } from './array-cells.ts';
import { checkedDims } from './array-index.ts';
import { copyStrided, dense, denseStrides, type Layout } from './array-strided.ts';
import { sameShape } from './broadcast.ts';
import { indices } from './numeric-types.ts';
import { type StridedSpec, stridedSpec } from './slice-spec.ts';

/** Where the chosen elements lie in the tensor that the expression is applied to. */
function layoutOf({ begin, stride }: StridedSpec, shape: readonly number[]): Layout {
  const strides = denseStrides(shape);
  return {
    offset: begin.reduce((sum, at, axis) => sum + at * (strides[axis] as number), 0),
    strides: stride.map((step, axis) => step * (strides[axis] as number)),
  };
}

function stridedSlice([tensor, ...bounds]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const input = tensor as Tensor;
  const spec = stridedSpec(input.shape, bounds, attrs);
  const to = newCells(input.dtype, spec.shape);
  copyStrided(spec.size, cellsOf(input), layoutOf(spec, input.shape), to, dense(spec.size));
  return [to.tensor];
}

/** Zeros in the input's shape, with the gradient where the slice was. */
function stridedSliceGrad([shapeTensor, begin, end, strides, gradient]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const dy = gradient as Tensor;
  const shape = checkedDims(indices(shapeTensor as Tensor));
  const spec = stridedSpec(shape, [begin, end, strides] as Tensor[], attrs);
  if (!sameShape(dy.shape, spec.shape)) {
    throw invalidArgument(`shape of dy was ${shapeText(dy.shape)} instead of ${shapeText(spec.shape)}`);
  }
  const to = newCells(dy.dtype, shape);
  copyStrided(spec.size, cellsOf(dy), dense(spec.size), to, layoutOf(spec, shape));
  return [to.tensor];
}

export const stridedSliceKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'StridedSlice', compute: stridedSlice },
  { kind: 'pure', op: 'StridedSliceGrad', cost: ([shape]) => sizeOf(indices(shape as Tensor)), compute: stridedSliceGrad },
];
