import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import { isHalf, toNumbers } from '../../task-server/kernels/half.ts';
import type { Tolerance } from './kernel-cases.ts';

/** Bits of the mantissa, the leading one not counted, and the exponent of the smallest normal number. */
const formats: Readonly<Record<string, { readonly mantissa: number; readonly minExponent: number }>> = {
  float: { mantissa: 23, minExponent: -126 },
  double: { mantissa: 52, minExponent: -1022 },
  half: { mantissa: 10, minExponent: -14 },
  bfloat16: { mantissa: 7, minExponent: -126 },
  complex64: { mantissa: 23, minExponent: -126 },
  complex128: { mantissa: 52, minExponent: -1022 },
};

/** How `actual` differs from `expected`, in words; undefined when type, shape and every element agree within the tolerance. */
export function difference(actual: Tensor, expected: Tensor, tolerance: Tolerance = {}): string | undefined {
  if (actual.dtype !== expected.dtype) return `type ${actual.dtype} instead of ${expected.dtype}`;
  if (shapeText(actual.shape) !== shapeText(expected.shape))
    return `shape ${shapeText(actual.shape)} instead of ${shapeText(expected.shape)}`;
  const got = comparable(actual);
  const wanted = comparable(expected);
  if (got.length !== wanted.length) return `${got.length} elements instead of ${wanted.length}`;
  const index = wanted.findIndex((value, at) => !agrees(got[at], value, expected.dtype, tolerance));
  return index < 0 ? undefined : `element ${index} is ${text(got[index])} instead of ${text(wanted[index])}`;
}

function comparable(tensor: Tensor): unknown[] {
  if (isHalf(tensor.dtype)) return [...toNumbers(tensor as Tensor<'half' | 'bfloat16'>)];
  const values: unknown[] = [...tensor.data];
  return tensor.dtype === 'string' ? values.map((bytes) => Buffer.from(bytes as Uint8Array).toString('latin1')) : values;
}

/** Zeros of either sign are different unless there is a tolerance; all NaNs are one. */
function agrees(got: unknown, wanted: unknown, dtype: string, { ulps = 0, absolute = 0 }: Tolerance): boolean {
  if (Object.is(got, wanted)) return true;
  if (ulps === 0 && absolute === 0) return false;
  if (typeof got !== 'number' || typeof wanted !== 'number') return false;
  const apart = Math.abs(got - wanted);
  return apart <= absolute || apart <= ulps * unit(wanted, dtype);
}

/** Distance between neighbouring numbers of the type around `value`. */
function unit(value: number, dtype: string): number {
  const format = formats[dtype];
  if (!format || !Number.isFinite(value)) return 0;
  const exponent = value === 0 ? format.minExponent : Math.floor(Math.log2(Math.abs(value)));
  return 2 ** (Math.max(exponent, format.minExponent) - format.mantissa);
}

function text(value: unknown): string {
  return Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : String(value);
}
