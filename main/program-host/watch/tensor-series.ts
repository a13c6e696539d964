import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';

/** One value of one series. */
export type SeriesValue = readonly [series: string, value: number];

/**
 * The points that a tensor gives: itself when it has one element, that at `indices` when they are given, else smallest, mean and
 * largest of all; none when it is empty. Throws INVALID_ARGUMENT for what is no number and for an element that it does not have.
 */
export function seriesValues(name: string, tensor: Tensor, indices?: readonly number[]): readonly SeriesValue[] {
  const read = reader(name, tensor);
  const count = tensor.shape.reduce((size, dim) => size * dim, 1);
  if (indices) return [[name, read(offsetOf(name, tensor, indices))]];
  if (count === 1) return [[name, read(0)]];
  if (count === 0) return [];
  let [least, most, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < count; i++) {
    const value = read(i);
    // Of these, a NaN leaves nothing but NaN, as it should: it must be seen.
    [least, most, sum] = [Math.min(least, value), Math.max(most, value), sum + value];
  }
  return [
    [`${name} (min)`, least],
    [`${name} (mean)`, sum / count],
    [`${name} (max)`, most],
  ];
}

function reader(name: string, { dtype, data }: Tensor): (index: number) => number {
  if (dtype === 'half') return (i) => fromHalfBits(Number(data[i]));
  if (dtype === 'bfloat16') return (i) => fromFloatBits(Number(data[i]) * 2 ** 16);
  if (Array.isArray(data) || dtype.startsWith('complex')) throw invalidArgument(`'${name}' cannot be plotted: its type is ${dtype}`);
  return (i) => Number(data[i]);
}

function offsetOf(name: string, { shape }: Tensor, indices: readonly number[]): number {
  const isInside = indices.length === shape.length && indices.every((index, dim) => index < (shape[dim] ?? 0));
  if (!isInside) throw invalidArgument(`There is no element '${name}': the tensor has shape ${shapeText(shape)}`);
  return indices.reduce((offset, index, dim) => offset * (shape[dim] ?? 1) + index, 0);
}

function fromHalfBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 0x1f) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (mantissa + 0x400) * 2 ** (exponent - 25);
}

function fromFloatBits(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  return view.getFloat32(0);
}
