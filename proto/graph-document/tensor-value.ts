import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { sizeOf } from '#proto/wire/tensor.ts';
import type { Value } from './document.ts';

export type Element = number | bigint | boolean | string;

/** The elements of a value in row-major order. */
export interface Elements {
  readonly shape: readonly number[];
  readonly elements: readonly Element[];
}

const floats = new Set<DType>(['float', 'double', 'half', 'bfloat16']);

/** Least and greatest value of the integer types. */
const ranges: Readonly<Partial<Record<DType, readonly [bigint, bigint]>>> = {
  int8: signed(8n),
  int16: signed(16n),
  int32: signed(32n),
  int64: signed(64n),
  uint8: unsigned(8n),
  uint16: unsigned(16n),
  uint32: unsigned(32n),
  uint64: unsigned(64n),
};

/** Types whose elements can be written down in a document. */
export const valueTypes = [...floats, ...(Object.keys(ranges) as DType[]), 'bool', 'string'] as const satisfies readonly DType[];

/**
 * Elements of a value as a tensor of that type and shape; without a shape, that of the value; a single element fills any shape.
 * Throws INVALID_ARGUMENT with the bare reason when the lists are ragged, an element is none of the type, or the number is wrong.
 */
export function elementsOf(value: Value, dtype: DType, shape: readonly number[] | null = null): Elements {
  const own = shapeOf(value);
  const elements: Element[] = [];
  flatten(value, own, 0, (scalar) => elements.push(element(scalar, dtype)));
  if (!shape) return { shape: own, elements };
  if (elements.length !== 1 && elements.length !== sizeOf(shape)) {
    throw invalidArgument(`shape [${shape}] has ${sizeOf(shape)} elements, but the value has ${elements.length}`);
  }
  return { shape, elements };
}

/** What a text that a user types stands for: JSON, with the quotes of a single text left out. */
export function parseValue(text: string, dtype: DType): Value {
  const trimmed = text.trim();
  if (dtype === 'string' && !/^["[]/.test(trimmed)) return text;
  if (/^(NaN|-?Infinity)$/.test(trimmed)) return trimmed;
  try {
    // Only arrays of scalars come through: whatever else is in the text, `elementsOf` refuses.
    return JSON.parse(trimmed.replace(/(?<!["\w.])(NaN|-?Infinity)(?!["\w])/g, '"$1"')) as Value;
  } catch (error) {
    throw invalidArgument('write a number, true, false, or a list such as [1, 2, 3]; texts in a list need quotes', { cause: error });
  }
}

export function valueText(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
}

function shapeOf(value: Value): number[] {
  const shape: number[] = [];
  let part: Value | undefined = value;
  while (Array.isArray(part)) {
    shape.push(part.length);
    part = part[0];
  }
  return shape;
}

function flatten(value: Value, shape: readonly number[], depth: number, take: (scalar: number | boolean | string) => void): void {
  const isList = typeof value === 'object';
  if (isList !== depth < shape.length) throw invalidArgument('all elements of a list must have the same depth');
  if (!isList) {
    take(value);
    return;
  }
  if (value.length !== shape[depth]) {
    throw invalidArgument(`all lists of one depth must have the same length, but there are ${shape[depth]} and ${value.length}`);
  }
  for (const part of value) flatten(part, shape, depth + 1, take);
}

function element(scalar: unknown, dtype: DType): Element {
  if (dtype === 'string' && typeof scalar === 'string') return scalar;
  if (dtype === 'bool' && typeof scalar === 'boolean') return scalar;
  if (floats.has(dtype)) {
    if (typeof scalar === 'number') return scalar;
    if (scalar === 'NaN' || scalar === 'Infinity' || scalar === '-Infinity') return Number(scalar);
  }
  const range = ranges[dtype];
  if (range) return integer(scalar, dtype, range);
  if (dtype === 'bool' || dtype === 'string' || floats.has(dtype))
    throw invalidArgument(`${JSON.stringify(scalar)} is no value of type ${dtype}`);
  throw invalidArgument(`a value of type ${dtype} cannot be written down`);
}

function integer(scalar: unknown, dtype: DType, [least, most]: readonly [bigint, bigint]): number | bigint {
  const isInteger = Number.isInteger(scalar) || (typeof scalar === 'string' && /^-?\d+$/.test(scalar));
  if (!isInteger) throw invalidArgument(`${JSON.stringify(scalar)} is no value of type ${dtype}`);
  const exact = BigInt(scalar as number | string);
  if (exact < least || exact > most) throw invalidArgument(`${exact} is beyond ${dtype}, which goes from ${least} to ${most}`);
  return dtype === 'int64' || dtype === 'uint64' ? exact : Number(exact);
}

function signed(bits: bigint): readonly [bigint, bigint] {
  return [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function unsigned(bits: bigint): readonly [bigint, bigint] {
  return [0n, 2n ** bits - 1n];
}
