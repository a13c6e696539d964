import type { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { OpContext } from '../engine/kernel.ts';

/** Goes on with a result that may still be on its way; at once when it is not. */
export function after<T, R>(result: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

export type Sign = 'AddV2' | 'Sub';

/** Elements up to which adding here is cheaper than handing the work on. */
const FEW = 256;

/** Types whose elements JavaScript adds as TensorFlow does, wrapping and rounding as they are stored. */
const plain: readonly DType[] = ['float', 'double', 'int32', 'int64', 'uint8', 'int16', 'int8', 'uint16', 'uint32', 'uint64'];

/** `current + delta` or `current - delta` of one shape. */
export function shifted(current: Tensor, delta: Tensor, sign: Sign, context: OpContext, attrs: Attrs): Tensor | Promise<Tensor> {
  const count = current.data.length;
  if (count > FEW || !plain.includes(current.dtype)) {
    return after(context.compute(sign, [current, delta], attrs), ([result]) => result as Tensor);
  }
  const out = allocate(current.dtype, count);
  const add = sign === 'AddV2';
  if (out instanceof BigInt64Array || out instanceof BigUint64Array) {
    const [a, b] = [current.data as BigInt64Array, delta.data as BigInt64Array];
    for (let i = 0; i < count; i++) out[i] = add ? (a[i] as bigint) + (b[i] as bigint) : (a[i] as bigint) - (b[i] as bigint);
  } else {
    const [a, b] = [current.data as Float32Array, delta.data as Float32Array];
    for (let i = 0; i < count; i++)
      (out as Float32Array)[i] = add ? (a[i] as number) + (b[i] as number) : (a[i] as number) - (b[i] as number);
  }
  return { dtype: current.dtype, shape: current.shape, data: out };
}

/** A count that goes up by one at each call, in a variable of type int32 or int64. */
export function incremented(current: Tensor): Tensor {
  const { dtype, shape, data } = current;
  const next = dtype === 'int64' ? BigInt64Array.of((data[0] as bigint) + 1n) : Int32Array.of((data[0] as number) + 1);
  return { dtype, shape, data: next };
}
