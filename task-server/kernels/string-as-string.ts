import type { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { isHalf, toNumbers } from './half.ts';
import { formatNumber, formatText, type NumberFormat } from './string-printf.ts';

const FRACTIONAL: readonly DType[] = ['float', 'double', 'half', 'bfloat16', 'complex64', 'complex128'];

function formatOf(dtype: DType, attrs: Attrs): NumberFormat {
  const scientific = attrs.bool('scientific');
  const shortest = attrs.bool('shortest');
  const precision = attrs.int('precision');
  const fill = attrs.text('fill');
  if (scientific && shortest) throw invalidArgument('Cannot select both scientific and shortest notation');
  if (!FRACTIONAL.includes(dtype) && dtype !== 'string') {
    if (scientific || shortest) throw invalidArgument(`scientific and shortest format not supported for datatype ${dtype}`);
    if (precision >= 0) throw invalidArgument(`precision not supported for datatype ${dtype}`);
  }
  if (fill.length > 1) throw invalidArgument('Fill string must be one or fewer characters');
  if (!isFlag(fill)) throw invalidArgument(`Fill argument not supported: "${fill}"`);
  const conversion = scientific ? 'e' : shortest ? 'g' : FRACTIONAL.includes(dtype) ? 'f' : 'd';
  return { conversion, flag: fill, width: Math.max(attrs.int('width'), 0), precision };
}

function isFlag(fill: string): fill is NumberFormat['flag'] {
  return ['', ' ', '+', '-', '0'].includes(fill);
}

function textsOf(tensor: Tensor, format: NumberFormat): string[] {
  const { data, dtype } = tensor;
  if (dtype === 'bool') return Array.from(data as Uint8Array, (value) => (value ? 'true' : 'false'));
  if (dtype === 'complex64' || dtype === 'complex128') return complexTexts(data as Float32Array | Float64Array, format);
  const values = isHalf(dtype) ? toNumbers(tensor as Tensor<'half'>) : data;
  return Array.from(values as ArrayLike<number | bigint>, (value) => formatNumber(integral(value, format), format));
}

/** Integers are printed digit by digit, so that -0 and large ones come out right. */
function integral(value: number | bigint, { conversion }: NumberFormat): number | bigint {
  return conversion === 'd' ? BigInt(value) : value;
}

function complexTexts(parts: Float32Array | Float64Array, format: NumberFormat): string[] {
  return Array.from({ length: parts.length / 2 }, (_, index) => {
    const [re, im] = [parts[2 * index] as number, parts[2 * index + 1] as number];
    return `(${formatNumber(re, format)},${formatNumber(im, format)})`;
  });
}

function asString([tensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const input = tensor as Tensor;
  const format = formatOf(input.dtype, attrs);
  const data =
    input.dtype === 'string'
      ? (input as Tensor<'string'>).data.map((bytes) => Buffer.from(formatText(Buffer.from(bytes).toString('latin1'), format), 'latin1'))
      : textsOf(input, format).map((text) => Buffer.from(text, 'latin1'));
  return [{ dtype: 'string', shape: input.shape, data: data.map((bytes) => new Uint8Array(bytes)) }];
}

export const asStringKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'AsString', cost: ([tensor]) => 300 * (tensor as Tensor).data.length, compute: asString },
];
