import { invalidArgument } from '../wire/status.ts';

/**
 * Makes a `T` of what another process, or a file, says is one. Throws INVALID_ARGUMENT that names the place. Fields that are
 * not expected are left out of the result.
 */
export type Shape<T> = (value: unknown, where: string) => T;

const MAX_TEXT = 10_000;
const MAX_LIST = 10_000;

export function text({ max = MAX_TEXT, pattern }: { max?: number; pattern?: RegExp } = {}): Shape<string> {
  return (value, where) => {
    if (typeof value !== 'string') throw wrong(where, 'a text', value);
    if (value.length > max) throw invalidArgument(`${where} is longer than ${max} characters`);
    if (pattern && !pattern.test(value)) throw invalidArgument(`${where} cannot be '${value.slice(0, 100)}'`);
    return value;
  };
}

export function integer(min: number, max: number): Shape<number> {
  return (value, where) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    throw wrong(where, `a whole number from ${min} to ${max}`, value);
  };
}

/** Any number; also as the texts in which strict JSON carries those that are not finite. */
export const number: Shape<number> = (value, where) => {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw wrong(where, 'a number', value);
};

export const flag: Shape<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value;
  throw wrong(where, 'true or false', value);
};

export const bytes: Shape<Uint8Array> = (value, where) => {
  if (value instanceof Uint8Array) return value;
  throw wrong(where, 'bytes', value);
};

export const nothing: Shape<null> = () => null;

export function oneOf<const T extends string>(...allowed: readonly T[]): Shape<T> {
  return (value, where) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw wrong(where, `one of ${allowed.join(', ')}`, value);
  };
}

export function list<T>(element: Shape<T>, { max = MAX_LIST }: { max?: number } = {}): Shape<readonly T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) throw wrong(where, 'a list', value);
    if (value.length > max) throw invalidArgument(`${where} has more than ${max} elements`);
    return value.map((each, i) => element(each, `${where}[${i}]`));
  };
}

export function record<T>(element: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value, where) => Object.fromEntries(entriesOf(value, where).map(([key, each]) => [key, element(each, `${where}.${key}`)]));
}

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type Fields<T, K extends keyof T> = { readonly [F in K]-?: Shape<Exclude<T[F], undefined>> };

export function object<T extends object>(
  required: Fields<T, Exclude<keyof T, OptionalKeys<T>>>,
  optional: Fields<T, OptionalKeys<T>> = {} as Fields<T, OptionalKeys<T>>,
): Shape<T> {
  const shapes: [string, Shape<unknown>, boolean][] = [
    ...Object.entries<Shape<unknown>>(required).map(([name, shape]): [string, Shape<unknown>, boolean] => [name, shape, true]),
    ...Object.entries<Shape<unknown>>(optional).map(([name, shape]): [string, Shape<unknown>, boolean] => [name, shape, false]),
  ];
  return (value, where) => {
    const given = new Map(entriesOf(value, where));
    const fields = shapes.filter(([name, , isRequired]) => isRequired || given.get(name) !== undefined);
    // The tables name every field of T, so what is put together by them is a T.
    return Object.fromEntries(fields.map(([name, shape]) => [name, shape(given.get(name), `${where}.${name}`)])) as T;
  };
}

function entriesOf(value: unknown, where: string): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw wrong(where, 'an object', value);
}

function wrong(where: string, wanted: string, value: unknown) {
  const got = typeof value === 'object' || typeof value === 'undefined' ? kindOf(value) : String(value).slice(0, 100);
  return invalidArgument(`${where} must be ${wanted}, not ${got}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : 'an object';
}
