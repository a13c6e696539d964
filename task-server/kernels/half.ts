import type { DType } from '#proto/wire/dtype.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';

/** The 16-bit float types, kept as bit patterns: arithmetic widens them, computes, and rounds the result once. */
export type HalfType = 'half' | 'bfloat16';

export function isHalf(dtype: DType): dtype is HalfType {
  return dtype === 'half' || dtype === 'bfloat16';
}

/** The exact values of a 16-bit float tensor. */
export function toNumbers(tensor: Tensor<HalfType>): Float32Array {
  const { dtype, data } = tensor;
  const values = allocate('float', data.length);
  const decode = dtype === 'half' ? halfToNumber : bfloat16ToNumber;
  for (let i = 0; i < data.length; i++) values[i] = decode(data[i] as number);
  return values;
}

/** Rounds to nearest, ties to even, as hardware does. */
export function fromNumbers(dtype: HalfType, values: ArrayLike<number>): Uint16Array {
  const bits = allocate(dtype, values.length);
  const encode = dtype === 'half' ? numberToHalf : numberToBfloat16;
  for (let i = 0; i < values.length; i++) bits[i] = encode(values[i] as number);
  return bits;
}

export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 0x1f) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

export function numberToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  const units = roundToEven(size * 2 ** (10 - exponent));
  // A mantissa that rounds up to the next power of two carries into the exponent by itself.
  return sign | (size < 2 ** -14 ? units : ((exponent + 15) << 10) + units - 1024);
}

export function bfloat16ToNumber(bits: number): number {
  scratchBits[0] = bits << 16;
  return scratchFloat[0] as number;
}

export function numberToBfloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratchFloat[0] = value;
  const bits = scratchBits[0] as number;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

const scratchFloat = new Float32Array(1);
const scratchBits = new Uint32Array(scratchFloat.buffer);

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}
