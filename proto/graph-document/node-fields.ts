import { parseDeviceName } from '#proto/wire/device-name.ts';
import { type Initial, type NodeKind, optimizerKinds, reduceOps } from './document.ts';
import {
  attrJson,
  bad,
  dtype,
  type Field,
  fields,
  filledText,
  flag,
  integer,
  list,
  nullOr,
  number,
  object,
  oneOf,
  optional,
  type Read,
  record,
  required,
  tensorValue,
  text,
} from './read-fields.ts';

export type FieldTable = Readonly<Record<string, Field<unknown>>>;

const device: Read<string> = (value, where) => {
  const name = text(value, where);
  if (parseDeviceName(name)) return name;
  throw bad(where, `'${name}' is no device name; an example of one is /job:ps/task:0/device:CPU:0`);
};

const dimensions = nullOr(list(integer(0)));
const partialDimensions = nullOr(list(integer(-1)));
const seed = optional(nullOr(integer(0)), null);

const initializers: { readonly [K in Initial['initializer']]: Read<unknown> } = {
  value: fields({ initializer: required(text), value: required(tensorValue) }),
  zeros: fields({ initializer: required(text) }),
  ones: fields({ initializer: required(text) }),
  normal: fields({ initializer: required(text), mean: optional(number, 0), stddev: optional(number, 1), seed }),
  truncatedNormal: fields({ initializer: required(text), mean: optional(number, 0), stddev: optional(number, 1), seed }),
  uniform: fields({ initializer: required(text), min: optional(number, 0), max: optional(number, 1), seed }),
};
const initializerName = oneOf(Object.keys(initializers) as Initial['initializer'][]);

/** `{ initializer: 'value', value: 0 }`. */
const initial: Read<Initial> = (value, where) => {
  const name = initializerName(object(value, where)['initializer'], `${where}.initializer`);
  // Each reader of the table makes the variant that it is listed under.
  return initializers[name](value, where) as Initial;
};

/** What every node has, in the order of a file. `kind` comes after `name`, the fields of the kind and its inputs before `device`. */
export const placeFields = { device: optional(device, ''), x: optional(number, 0), y: optional(number, 0) } satisfies FieldTable;

/** What is particular to each kind, besides its inputs. */
export const kindFields: { readonly [K in NodeKind]: FieldTable } = {
  op: { op: required(filledText), attrs: optional(record(attrJson), {}) },
  constant: { dtype: optional(dtype, 'float'), shape: optional(dimensions, null), value: required(tensorValue) },
  placeholder: { dtype: optional(dtype, 'float'), shape: optional(partialDimensions, null) },
  variable: {
    dtype: optional(dtype, 'float'),
    shape: optional(dimensions, null),
    initial: required(initial),
    trainable: optional(flag, true),
  },
  reduce: { op: required(oneOf(reduceOps)), axes: optional(nullOr(list(integer(-64, 64))), null), keepDims: optional(flag, false) },
  gradients: {},
  optimizer: { optimizer: required(oneOf(optimizerKinds)), learningRate: required(number), momentum: optional(number, 0.9) },
};
