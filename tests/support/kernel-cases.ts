import { readdirSync, readFileSync } from 'node:fs';
import { fromBinary, fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { allocate, makeTensor, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import { fromNumbers, isHalf } from '../../task-server/kernels/half.ts';

/** How far a float may be from TensorFlow's: `ulps` units in the last place of its type, or `absolute`. Default: not at all. */
export interface Tolerance {
  readonly ulps?: number;
  readonly absolute?: number;
}

type Element = number | string | boolean;

/** A tensor in a fixture: 64-bit integers as decimal strings, strings in base64, complex numbers as re, im, non-finite floats as words. */
export interface RecordedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: readonly Element[];
}

/** One call of one kernel and what genuine TensorFlow answered. */
export interface KernelCase {
  readonly op: string;
  readonly note?: string;
  readonly attrs: Readonly<Record<string, JsonObject>>;
  readonly inputs: readonly RecordedTensor[];
  readonly outputs?: readonly RecordedTensor[];
  readonly error?: { readonly code: number; readonly message: string };
}

export interface KernelFamily {
  readonly name: string;
  readonly tensorflow: string;
  /** Tolerance by `op`, or by `op dtype`, which goes first. */
  readonly tolerance: Readonly<Record<string, Tolerance>>;
  readonly cases: readonly KernelCase[];
}

const folder = new URL('../fixtures/kernels/', import.meta.url);

/** Every family that scripts/kernels/record.py has written, or those named. */
export function kernelFamilies(...names: readonly string[]): KernelFamily[] {
  const present = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const wanted = names.length > 0 ? names.map((name) => `${name}.json`) : present.sort();
  return wanted.map((file) => ({ name: file.slice(0, -'.json'.length), ...JSON.parse(readFileSync(new URL(file, folder), 'utf8')) }));
}

export function attrsOf({ attrs, op }: KernelCase): Attrs {
  const values: Record<string, AttrValue> = {};
  // By way of the wire, where a float attr has 32 bits.
  for (const [name, json] of Object.entries(attrs)) {
    values[name] = fromBinary(AttrValueSchema, toBinary(AttrValueSchema, fromJson(AttrValueSchema, json)));
  }
  return new Attrs(values, op);
}

/** The type that decides which kernel serves the case: that of its first input, or of its first output. */
export function dtypeOf({ inputs, outputs }: KernelCase): DType {
  return inputs[0]?.dtype ?? outputs?.[0]?.dtype ?? 'float';
}

/** `Sub float[2,1] int32[3] {"axis":{"i":"1"}}` */
export function titleOf({ op, inputs, attrs, note }: KernelCase): string {
  const shapes = inputs.map((input) => `${input.dtype}[${input.shape}]`).join(' ');
  return [op, shapes, JSON.stringify(attrs), note].filter(Boolean).join(' ');
}

export function tensorOf({ dtype, shape, values }: RecordedTensor): Tensor {
  return makeTensor(dtype, shape, elementsOf(dtype, shape, values) as Tensor['data']);
}

function elementsOf(dtype: DType, shape: readonly number[], values: readonly Element[]): Tensor['data'] {
  if (dtype === 'string') return values.map((text) => new Uint8Array(Buffer.from(String(text), 'base64')));
  if (isHalf(dtype)) return fromNumbers(dtype, Float64Array.from(values, Number));
  const data = allocate(dtype, sizeOf(shape));
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.set(values.map(BigInt));
  else if (!Array.isArray(data)) data.set(values.map(Number));
  return data;
}
