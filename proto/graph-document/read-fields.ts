import { type DType, parseDType } from '#proto/wire/dtype.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';
import type { AttrJson, Value } from './document.ts';

/** Checks one value of a file; `where` is its place, for messages. */
export type Read<T> = (value: unknown, where: string) => T;

export function bad(where: string, text: string): StatusError {
  return invalidArgument(`${where}: ${text}`);
}

export const text: Read<string> = (value, where) => {
  if (typeof value === 'string') return value;
  throw bad(where, `a text is wanted here, not ${what(value)}`);
};

export const filledText: Read<string> = (value, where) => {
  if (text(value, where) === '') throw bad(where, 'must not be empty');
  return text(value, where);
};

export const number: Read<number> = (value, where) => {
  if (typeof value === 'number') return value;
  throw bad(where, `a number is wanted here, not ${what(value)}`);
};

export const flag: Read<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value;
  throw bad(where, `true or false is wanted here, not ${what(value)}`);
};

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Read<number> {
  return (value, where) => {
    if (Number.isInteger(value) && number(value, where) >= minimum && number(value, where) <= maximum) return number(value, where);
    const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} on` : `from ${minimum} to ${maximum}`;
    throw bad(where, `a whole number ${range} is wanted here, not ${what(value)}`);
  };
}

export function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) throw bad(where, `a list is wanted here, not ${what(value)}`);
    return value.map((element, i) => read(element, `${where}[${i}]`));
  };
}

export function nullOr<T>(read: Read<T>): Read<T | null> {
  return (value, where) => (value === null ? null : read(value, where));
}

export function oneOf<T extends string>(options: readonly T[]): Read<T> {
  return (value, where) => {
    const option = options.find((each) => each === value);
    if (option !== undefined) return option;
    throw bad(where, `one of ${options.map((each) => `'${each}'`).join(', ')} is wanted here, not ${what(value)}`);
  };
}

export function record<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value, where) =>
    Object.fromEntries(Object.entries(object(value, where)).map(([key, each]) => [key, read(each, `${where}.${key}`)]));
}

export const dtype: Read<DType> = (value, where) => {
  const known = parseDType(text(value, where));
  if (known) return known;
  throw bad(where, `'${text(value, where)}' is no dtype; dtypes are float, double, int32, int64, bool, string and so on`);
};

/** TensorFlow's limit for the number of dimensions. */
const MAX_RANK = 254;

export const tensorValue: Read<Value> = (value, where) => valueAt(value, where, 0);

function valueAt(value: unknown, where: string, depth: number): Value {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  if (depth > MAX_RANK)
    throw bad(where.slice(0, where.indexOf('[0][0]')), `lists are nested deeper than the ${MAX_RANK} dimensions of a tensor`);
  if (Array.isArray(value)) return value.map((element, i) => valueAt(element, `${where}[${i}]`, depth + 1));
  throw bad(where, `a number, a text, true, false, or a list of these is wanted here, not ${what(value)}`);
}

export const attrJson: Read<AttrJson> = (value, where) => {
  if (Array.isArray(value)) return value.map((element, i) => attrElement(element, `${where}[${i}]`));
  return attrElement(value, where);
};

/** One value of an attr: a scalar, a shape, or a tensor. */
const attrElement: Read<AttrJson> = (value, where) => {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return tensorValue(value, where);
  return fields({ dtype: required(dtype), value: required(tensorValue) })(value, where);
};

export interface Field<T> {
  readonly read: Read<T>;
  /** What a file may leave out. */
  readonly standard?: T;
}

export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> };

export function required<T>(read: Read<T>): Field<T> {
  return { read };
}

export function optional<T>(read: Read<T>, standard: T): Field<T> {
  return { read, standard };
}

/** An object with these fields and no others. */
export function fields<T>(known: Fields<T>): Read<T> {
  return (value, where) => {
    const given = object(value, where);
    for (const key of Object.keys(given)) {
      if (Object.hasOwn(known, key)) continue;
      const names = Object.keys(known).join(', ');
      throw bad(where, `the field '${key}' is not known here; correct or remove it (known: ${names})`);
    }
    const entries = Object.entries<Field<unknown>>(known).map(([key, { read, standard }]) => {
      if (Object.hasOwn(given, key)) return [key, read(given[key], `${where}.${key}`)];
      if (standard !== undefined) return [key, standard];
      throw bad(where, `the field '${key}' is missing`);
    });
    // The entries are those of `known`, each made by its own reader.
    return Object.fromEntries(entries) as T;
  };
}

export function object(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw bad(where, `an object is wanted here, not ${what(value)}`);
}

function what(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value).slice(0, 60);
}
