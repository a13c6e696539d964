import type { DType } from '#proto/wire/dtype.ts';
import { allocate, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import { numericTensor, numericType, type WorkArray } from './numeric-types.ts';

/** A zeroed tensor that slices are added to, rounding as additions in its own type do; complex numbers too. */
export interface Accumulator {
  /** Adds `count` numbers of the source, from `start` on, to those from `at` on. */
  add(at: number, start: number, count: number): void;
  finish(): Tensor;
}

export function accumulator(dtype: DType, shape: readonly number[], source: Tensor): Accumulator {
  if (dtype === 'complex64' || dtype === 'complex128') return complexAccumulator(dtype, shape, source as Tensor<'complex64'>);
  const type = numericType(dtype);
  const from = type.widen(source);
  const sums = type.create(sizeOf(shape));
  // The narrow types round after every addition, not once at the end.
  const narrowed =
    dtype === 'half' || dtype === 'bfloat16' ? (values: WorkArray) => type.widen({ dtype, shape, data: type.narrow(values) }) : undefined;
  return {
    add(at, start, count) {
      addRun(sums, at, from, start, count);
      if (narrowed) sums.set(narrowed(sums.subarray(at, at + count)) as never, at);
    },
    finish: () => numericTensor(dtype, shape, sums),
  };
}

function complexAccumulator(dtype: 'complex64' | 'complex128', shape: readonly number[], source: Tensor<'complex64'>): Accumulator {
  const data = allocate(dtype, sizeOf(shape));
  return {
    add: (at, start, count) => addRun(data, 2 * at, source.data, 2 * start, 2 * count),
    finish: () => ({ dtype, shape, data }),
  };
}

function addRun(sums: WorkArray, at: number, from: WorkArray, start: number, count: number): void {
  if (sums instanceof BigInt64Array || sums instanceof BigUint64Array) {
    for (let i = 0; i < count; i++) sums[at + i] = (sums[at + i] as bigint) + (from[start + i] as bigint);
  } else {
    for (let i = 0; i < count; i++) sums[at + i] = (sums[at + i] as number) + (from[start + i] as number);
  }
}
