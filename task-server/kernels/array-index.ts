import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';

/** The first element of an index tensor (int32 or int64) as a number. */
export function firstIndex(tensor: Tensor): number {
  return Number(tensor.data[0]);
}

/** A vector, or with another shape a tensor, of int32 or int64. */
export function indexTensor(dtype: DType, values: ArrayLike<number>, shape: readonly number[] = [values.length]): Tensor {
  const data = allocate(dtype, values.length);
  if (data instanceof BigInt64Array) for (let i = 0; i < values.length; i++) data[i] = BigInt(values[i] as number);
  else (data as Int32Array).set(values);
  return { dtype, shape, data };
}

/** An axis counted from the end when negative; `fail` makes the error of one that is out of range. */
export function resolveAxis(axis: number, rank: number, fail: () => StatusError): number {
  if (axis < -rank || axis >= rank) throw fail();
  return axis < 0 ? axis + rank : axis;
}

/** Sizes of dimensions as tensors give them: never negative. */
export function checkedDims(dims: readonly number[]): readonly number[] {
  const negative = dims.find((dim) => dim < 0);
  if (negative !== undefined) throw invalidArgument(`Dimension ${negative} must be >= 0`);
  return dims;
}

/** Scalars where TensorFlow also takes a tensor of one element. */
export function isScalarLike(tensor: Tensor): boolean {
  return tensor.data.length === 1;
}

/** `[1,0]` for the element at a flat position, or nothing for a scalar. */
export function positionText(flat: number, shape: readonly number[]): string {
  let rest = flat;
  const position = new Array<number>(shape.length);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    position[axis] = rest % size;
    rest = Math.floor(rest / size);
  }
  return shape.length > 0 ? `[${position.join(',')}]` : '';
}
