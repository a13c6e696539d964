import type { DType } from '#proto/wire/dtype.ts';
import { unimplemented } from '#proto/wire/status.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { truncateMantissa } from './cast-truncate.ts';
import { fromNumbers, type HalfType, isHalf, toNumbers } from './half.ts';
import { type BigArray, COMPLEX, NUMBERS } from './numeric-types.ts';

const castable: ReadonlySet<DType> = new Set<DType>([...NUMBERS, ...COMPLEX, 'bool']);
const complexPart = { complex64: 'float', complex128: 'double' } as const;

/** Casts to one type, from plain numbers and from 64-bit integers. */
interface Target {
  fromNumbers(values: ArrayLike<number>): Tensor['data'];
  fromBigInts(values: BigArray): Tensor['data'];
}

const MIN_INT32 = -(2 ** 31);
const MIN_INT64 = -(2n ** 63n);

/** What x86 makes of a float: truncation, and the smallest int32 for what does not fit. */
function truncateToInt32(value: number): number {
  const whole = Math.trunc(value);
  return whole >= MIN_INT32 && whole <= 2 ** 31 - 1 ? whole : MIN_INT32;
}

function truncateToInt64(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : MIN_INT64;
}

/** Integers of up to 32 bits wrap around; floats that do not fit 32 bits are cut as on x86. */
function intTarget(dtype: 'int8' | 'int16' | 'int32' | 'uint8' | 'uint16'): Target {
  return {
    fromNumbers(values) {
      const data = allocate(dtype, values.length);
      if (values instanceof Float32Array || values instanceof Float64Array) {
        for (let i = 0; i < data.length; i++) data[i] = truncateToInt32(values[i] as number);
      } else data.set(values);
      return data;
    },
    fromBigInts: (values) => filled(allocate(dtype, values.length), (i) => Number(BigInt.asIntN(32, values[i] as bigint))),
  };
}

const floatTarget = (dtype: 'float' | 'double'): Target => ({
  fromNumbers(values) {
    const data = allocate(dtype, values.length);
    data.set(values);
    return data;
  },
  fromBigInts: (values) => filled(allocate(dtype, values.length), (i) => Number(values[i])),
});

const halfTarget = (dtype: HalfType): Target => ({
  fromNumbers: (values) => fromNumbers(dtype, Float32Array.from(values)),
  fromBigInts: (values) => fromNumbers(dtype, Float32Array.from(values, Number)),
});

const bigTarget = (dtype: 'int64' | 'uint64'): Target => ({
  fromNumbers(values) {
    const data = allocate(dtype, values.length);
    for (let i = 0; i < data.length; i++) data[i] = truncateToInt64(values[i] as number);
    return data;
  },
  fromBigInts(values) {
    const data = allocate(dtype, values.length);
    data.set(values);
    return data;
  },
});

const complexTarget = (dtype: 'complex64' | 'complex128'): Target => ({
  fromNumbers(values) {
    const data = allocate(dtype, values.length);
    for (let i = 0; i < values.length; i++) data[2 * i] = values[i] as number;
    return data;
  },
  fromBigInts: (values) => complexTarget(dtype).fromNumbers(Array.from(values, Number)),
});

const targets: Readonly<Partial<Record<DType, Target>>> = {
  float: floatTarget('float'),
  double: floatTarget('double'),
  half: halfTarget('half'),
  bfloat16: halfTarget('bfloat16'),
  int8: intTarget('int8'),
  int16: intTarget('int16'),
  int32: intTarget('int32'),
  uint8: intTarget('uint8'),
  uint16: intTarget('uint16'),
  uint32: {
    fromNumbers: (values) => filled(allocate('uint32', values.length), (i) => Math.trunc(values[i] as number)),
    fromBigInts: (values) => filled(allocate('uint32', values.length), (i) => Number(BigInt.asUintN(32, values[i] as bigint))),
  },
  int64: bigTarget('int64'),
  uint64: bigTarget('uint64'),
  bool: {
    fromNumbers: (values) => filled(allocate('bool', values.length), (i) => (values[i] === 0 ? 0 : 1)),
    fromBigInts: (values) => filled(allocate('bool', values.length), (i) => (values[i] === 0n ? 0 : 1)),
  },
  complex64: complexTarget('complex64'),
  complex128: complexTarget('complex128'),
};

function filled<T extends { readonly length: number; [index: number]: number }>(data: T, valueAt: (index: number) => number): T {
  for (let i = 0; i < data.length; i++) data[i] = valueAt(i);
  return data;
}

function castData(x: Tensor, to: DType, target: Target): Tensor['data'] {
  const { dtype, data } = x;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return target.fromBigInts(data);
  if (isHalf(dtype)) return target.fromNumbers(toNumbers(x as Tensor<HalfType>));
  const numbers = data as ArrayLike<number>;
  if (dtype !== 'complex64' && dtype !== 'complex128') return target.fromNumbers(numbers);
  if (to === 'complex64' || to === 'complex128') return floatTarget(complexPart[to]).fromNumbers(numbers);
  return target.fromNumbers(filled(allocate(complexPart[dtype], numbers.length / 2), (i) => numbers[2 * i] as number));
}

const cast: PureKernelSpec = {
  kind: 'pure',
  op: 'Cast',
  compute(inputs, attrs) {
    const [x] = inputs as readonly [Tensor];
    const dtype = attrs.type('DstT');
    const target = targets[dtype];
    if (x.dtype === dtype) return [x];
    if (!target || !castable.has(x.dtype)) throw unimplemented(`Cast ${x.dtype} to ${dtype} is not supported`);
    const source = attrs.bool('Truncate') ? truncateMantissa(x, dtype) : x;
    return [{ dtype, shape: x.shape, data: castData(source, dtype, target) }];
  },
};

export const castKernels: readonly PureKernelSpec[] = [cast];
