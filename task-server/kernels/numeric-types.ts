import type { DType } from '#proto/wire/dtype.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import { bfloat16ToNumber, fromNumbers, type HalfType, halfToNumber, numberToBfloat16, numberToHalf, toNumbers } from './half.ts';

export const FLOATS = ['float', 'double', 'half', 'bfloat16'] as const satisfies readonly DType[];
export const SIGNED = ['int8', 'int16', 'int32', 'int64'] as const satisfies readonly DType[];
export const UNSIGNED = ['uint8', 'uint16', 'uint32', 'uint64'] as const satisfies readonly DType[];
export const INTEGERS = [...SIGNED, ...UNSIGNED] as const;
export const NUMBERS = [...FLOATS, ...INTEGERS] as const;
export const COMPLEX = ['complex64', 'complex128'] as const satisfies readonly DType[];
export const INDICES = ['int32', 'int64'] as const satisfies readonly DType[];

export type FloatArray = Float32Array | Float64Array;
export type NumberArray = FloatArray | Int32Array;
export type BigArray = BigInt64Array | BigUint64Array;
/** What loops run over. So few kinds, because a loop that meets more than four kinds of typed array is slow for all of them. */
export type WorkArray = NumberArray | BigArray;
export type Domain = 'float' | 'int' | 'bigint';

/**
 * How the numbers of a type are computed with: widened into a work array of its domain and narrowed again, wrapping
 * around as C++ does. The types most used (float, double, int32, int64) are their own work arrays and never copied.
 */
export interface NumericType {
  readonly domain: Domain;
  widen(tensor: Tensor): WorkArray;
  /** A zeroed work array for results of the type. */
  create(count: number): WorkArray;
  narrow(values: WorkArray): Tensor['data'];
}

const direct = (dtype: 'float' | 'double' | 'int32' | 'int64' | 'uint64', domain: Domain): NumericType => ({
  domain,
  widen: (tensor) => tensor.data as WorkArray,
  create: (count) => allocate(dtype, count),
  narrow: (values) => values,
});

const widenedHalf = (dtype: HalfType): NumericType => ({
  domain: 'float',
  widen: (tensor) => toNumbers(tensor as Tensor<HalfType>),
  create: (count) => allocate('float', count),
  narrow: (values) => fromNumbers(dtype, values as Float32Array),
});

const widenedInt = (dtype: 'int8' | 'int16' | 'uint8' | 'uint16' | 'bool'): NumericType => ({
  domain: 'int',
  widen: (tensor) => copied(tensor.data as Uint8Array, allocate('int32', tensor.data.length)),
  create: (count) => allocate('int32', count),
  narrow: (values) => copied(values as Int32Array, allocate(dtype, values.length)),
});

const widenedUint32: NumericType = {
  domain: 'bigint',
  widen: (tensor) => BigUint64Array.from(tensor.data as Uint32Array, BigInt),
  create: (count) => allocate('uint64', count),
  narrow: (values) => Uint32Array.from(values as BigUint64Array, (value) => Number(BigInt.asUintN(32, value))),
};

const numericTypes: Readonly<Partial<Record<DType, NumericType>>> = {
  float: direct('float', 'float'),
  double: direct('double', 'float'),
  half: widenedHalf('half'),
  bfloat16: widenedHalf('bfloat16'),
  int8: widenedInt('int8'),
  int16: widenedInt('int16'),
  int32: direct('int32', 'int'),
  int64: direct('int64', 'bigint'),
  uint8: widenedInt('uint8'),
  uint16: widenedInt('uint16'),
  uint32: widenedUint32,
  uint64: direct('uint64', 'bigint'),
  bool: widenedInt('bool'),
};

/** Kernels ask only for types that their spec lists; another one is a bug in its table. */
export function numericType(dtype: DType): NumericType {
  const found = numericTypes[dtype];
  if (!found) throw new TypeError(`${dtype} is not a numeric type`);
  return found;
}

/** Rounds the exact result of one operation to a float type, as a chain of operations in that type does after each. */
export type Round = (value: number) => number;

const rounds: Readonly<Partial<Record<DType, Round>>> = {
  float: Math.fround,
  half: (value) => halfToNumber(numberToHalf(Math.fround(value))),
  bfloat16: (value) => bfloat16ToNumber(numberToBfloat16(value)),
};

const exact: Round = (value) => value;

export function roundTo(dtype: DType): Round {
  return rounds[dtype] ?? exact;
}

/** A tensor of a numeric type over results in a work array. */
export function numericTensor(dtype: DType, shape: readonly number[], values: WorkArray): Tensor {
  return { dtype, shape, data: numericType(dtype).narrow(values) };
}

/** Elements of an index tensor (int32 or int64) as numbers. */
export function indices(tensor: Tensor): number[] {
  const data = tensor.data as Int32Array | BigInt64Array;
  const found = new Array<number>(data.length);
  for (let i = 0; i < data.length; i++) found[i] = Number(data[i]);
  return found;
}

function copied<T extends { set(values: ArrayLike<number>): void }>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}
