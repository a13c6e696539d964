import type { Attrs } from '#proto/wire/attr.ts';
import { type DType, dtypeNumber, dtypeSize } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { bytesOf, shapeText, sizeOf, type Tensor, viewBytes } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { firstIndex, indexTensor, isScalarLike } from './array-index.ts';
import { indices } from './numeric-types.ts';

/** Looking at or changing the shape moves no element. */
const cost = () => 1;

type Compute = PureKernelSpec['compute'];
const kernel = (op: string, compute: Compute): PureKernelSpec => ({ kind: 'pure', op, cost, compute });

export function withShape(tensor: Tensor, shape: readonly number[]): Tensor {
  return { dtype: tensor.dtype, shape, data: tensor.data };
}

function reshape([tensor, sizes]: readonly Tensor[]): Tensor[] {
  const input = tensor as Tensor;
  const wanted = sizes as Tensor;
  if (wanted.shape.length > 1) throw invalidArgument(`sizes input must be 1-D, not ${shapeText(wanted.shape)}`);
  const shape = indices(wanted);
  const open = shape.indexOf(-1);
  const another = open < 0 ? -1 : shape.indexOf(-1, open + 1);
  if (another >= 0) throw invalidArgument(`Only one input size may be -1, not both ${open} and ${another}`);
  for (const [axis, size] of shape.entries()) {
    if (size < -1) throw invalidArgument(`Size ${axis} must be non-negative, not ${size}`);
  }
  const size = sizeOf(input.shape);
  const problem = `Input to reshape is a tensor with ${size} values, but the requested shape`;
  if (open >= 0) {
    const known = sizeOf(shape.filter((_, axis) => axis !== open));
    const missing = known > 0 ? size / known : sizeOf(input.shape.filter((dim) => dim !== 0));
    if (known === 0 && size !== 0) throw invalidArgument(`${problem} has 0`);
    if (!Number.isInteger(missing)) throw invalidArgument(`${problem} requires a multiple of ${known}`);
    shape[open] = missing;
  }
  if (sizeOf(shape) !== size) throw invalidArgument(`${problem} has ${sizeOf(shape)}`);
  return [withShape(input, shape)];
}

function expandDims([tensor, dim]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  if (!isScalarLike(dim as Tensor)) throw invalidArgument("'dim' must be a tensor with a single value");
  const axis = firstIndex(dim as Tensor);
  if (axis < -1 - shape.length || axis > shape.length) {
    throw invalidArgument(`Tried to expand dim index ${axis} for tensor with ${shape.length} dimensions.`);
  }
  const at = axis < 0 ? axis + shape.length + 1 : axis;
  return [withShape(tensor as Tensor, shape.toSpliced(at, 0, 1))];
}

function squeeze([tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensor as Tensor;
  const rank = shape.length;
  const dims = new Set<number>();
  for (const dim of attrs.ints('squeeze_dims')) {
    if (dim < -rank || dim >= rank) throw invalidArgument(`Tried to squeeze dim index ${dim} for tensor with ${rank} dimensions.`);
    dims.add(dim < 0 ? dim + rank : dim);
  }
  const kept = shape.filter((size, axis) => {
    if (size === 1) return dims.size > 0 && !dims.has(axis);
    if (dims.has(axis)) throw invalidArgument(`Can not squeeze dim[${axis}], expected a dimension of 1, got ${size}`);
    return true;
  });
  return [withShape(tensor as Tensor, kept)];
}

function ensureShape([tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = tensor as Tensor;
  const wanted = attrs.shape('shape');
  const fits = !wanted || (wanted.length === shape.length && wanted.every((size, axis) => size < 0 || size === shape[axis]));
  if (fits) return [tensor as Tensor];
  throw invalidArgument(`Shape of tensor ${shapeText(shape)} is not compatible with expected shape ${partialShapeText(wanted)}.`);
}

/** `[?,3]`, the way TensorFlow prints a shape that is known in part. */
export function partialShapeText(shape: readonly number[] | undefined): string {
  return shape ? `[${shape.map((size) => (size < 0 ? '?' : size)).join(',')}]` : '<unknown>';
}

function bitcast([tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  const target = attrs.type('type');
  const from = dtypeSize(dtype);
  const to = dtypeSize(target);
  return [{ dtype: target, shape: bitcastShape(shape, dtype, target), data: viewBytes(target, bytesOf(tensor as Tensor)) }];

  function bitcastShape(old: readonly number[], source: DType, result: DType): readonly number[] {
    if (from === to) return old;
    if (from > to) return [...old, from / to];
    if (old.at(-1) === to / from) return old.slice(0, -1);
    throw invalidArgument(`Cannot bitcast from ${dtypeNumber(source)} to ${dtypeNumber(result)}`);
  }
}

export const shapeKernels: readonly PureKernelSpec[] = [
  kernel('Shape', ([tensor], attrs) => [indexTensor(attrs.type('out_type'), (tensor as Tensor).shape)]),
  kernel('ShapeN', (inputs, attrs) => inputs.map(({ shape }) => indexTensor(attrs.type('out_type'), shape))),
  kernel('Size', ([tensor], attrs) => [indexTensor(attrs.type('out_type'), [sizeOf((tensor as Tensor).shape)], [])]),
  kernel('Rank', ([tensor]) => [indexTensor('int32', [(tensor as Tensor).shape.length], [])]),
  kernel('Reshape', reshape),
  kernel('ExpandDims', expandDims),
  kernel('Squeeze', squeeze),
  kernel('EnsureShape', ensureShape),
  kernel('Bitcast', bitcast),
];
