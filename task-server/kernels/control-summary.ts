import type { Tensor } from '#proto/wire/tensor.ts';
import { isHalf, toNumbers } from './half.ts';
import { formatNumber } from './string-printf.ts';

/** The first elements of a tensor as TensorFlow prints them in assertions: `[1 2][3...]...` for a matrix. All of them when `limit` is negative. */
export function summary(tensor: Tensor, limit: number): string {
  const texts = elementTexts(tensor);
  const { shape } = tensor;
  const most = limit < 0 ? texts.length : limit;
  const rest = texts.length > most ? '...' : '';
  if (shape.length === 0) return `[${texts.slice(0, most).join(' ')}${rest}]`;
  return `[${nested(texts, shape, { at: 0, most })}${rest}]`;
}

function nested(
  texts: readonly string[],
  [size = 0, ...inner]: readonly number[],
  place: { at: number; readonly most: number },
  depth = 0,
): string {
  if (inner.length === 0) {
    const row = texts.slice(place.at, Math.min(place.at + size, place.most));
    place.at += row.length;
    return row.join(' ') + (row.length < size && depth > 0 ? '...' : '');
  }
  let text = '';
  for (let index = 0; index < size && place.at < place.most; index++) text += `[${nested(texts, inner, place, depth + 1)}]`;
  return text;
}

function elementTexts(tensor: Tensor): string[] {
  const { dtype, data } = tensor;
  if (dtype === 'string') return (data as Uint8Array[]).map((bytes) => new TextDecoder().decode(bytes));
  if (isHalf(dtype)) return Array.from(toNumbers(tensor as Tensor<'half'>), (value) => floatText(value, 6, 9));
  if (dtype === 'float') return Array.from(data as Float32Array, (value) => floatText(value, 6, 9));
  if (dtype === 'double') return Array.from(data as Float64Array, (value) => floatText(value, 15, 17));
  if (dtype === 'complex64' || dtype === 'complex128' || Array.isArray(data)) return new Array<string>(data.length).fill('?');
  return Array.from(data as ArrayLike<number | bigint>, String);
}

/** In few digits where these read back equal, else in many. */
function floatText(value: number, few: number, many: number): string {
  const format = { conversion: 'g', flag: '', width: 0 } as const;
  const short = formatNumber(value, { ...format, precision: few });
  const parsed = many === 9 ? Math.fround(Number(short)) : Number(short);
  return parsed === value || !Number.isFinite(value) ? short : formatNumber(value, { ...format, precision: many });
}
