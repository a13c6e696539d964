import { create } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema, NameAttrListSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { TensorShapeProtoSchema } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import { caseOfKind, elementKind, emptyList, isListKind } from '#proto/ops/attr-kind.ts';
import type { AttrDef, ScalarKind } from '#proto/ops/op-def.ts';
import type { PartialShape } from '#proto/wire/attr.ts';
import { dtypeNumber, parseDType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import { toTensor, type Value } from './values.ts';

type ScalarAttr = number | bigint | boolean | string | Uint8Array;

/**
 * An attr in plain TypeScript: number or bigint for int, text or bytes for string, a dtype's name for type, an array for
 * shape (null: unknown rank), a value for tensor, a function's name for func, arrays of these for lists. A message passes.
 */
export type AttrInput = ScalarAttr | null | AttrValue | Value | readonly ScalarAttr[] | readonly (readonly number[] | null)[];

/** Throws INVALID_ARGUMENT when the plain value is of another kind than the attr. */
export function toAttrValue(def: AttrDef, input: AttrInput): AttrValue {
  if (isMessage(input)) return input;
  if (!isListKind(def.type)) return scalarAttr(elementKind(def.type), input, def.name);
  if (!Array.isArray(input)) throw misfit(def.name, def.type, input);
  const list = emptyList();
  const kind = elementKind(def.type);
  const target: unknown[] = list[caseOfKind[kind]];
  for (const element of input) target.push(scalarAttr(kind, element as AttrInput, def.name).value.value);
  return create(AttrValueSchema, { value: { case: 'list', value: list } });
}

export function typeAttr(dtypeNumberOfAttr: number): AttrValue {
  return create(AttrValueSchema, { value: { case: 'type', value: dtypeNumberOfAttr } });
}

export function typeListAttr(types: readonly number[]): AttrValue {
  return create(AttrValueSchema, { value: { case: 'list', value: { ...emptyList(), type: [...types] } } });
}

export function intAttr(value: number | bigint): AttrValue {
  return create(AttrValueSchema, { value: { case: 'i', value: BigInt(value) } });
}

/** `_class`: the nodes whose device the node shares. */
export function colocationAttr(nodes: readonly string[]): AttrValue {
  const s = nodes.map((name) => new TextEncoder().encode(`loc:@${name}`));
  return create(AttrValueSchema, { value: { case: 'list', value: { ...emptyList(), s } } });
}

export function toPartialShapeProto(shape: PartialShape) {
  if (!shape) return create(TensorShapeProtoSchema, { unknownRank: true });
  return create(TensorShapeProtoSchema, { dim: shape.map((size) => ({ size: BigInt(size) })) });
}

function isMessage(input: AttrInput): input is AttrValue {
  return typeof input === 'object' && input !== null && '$typeName' in input;
}

const makers: Readonly<Record<ScalarKind, (input: AttrInput) => AttrValue['value'] | undefined>> = {
  string: (input) => {
    if (input instanceof Uint8Array) return { case: 's', value: input };
    return typeof input === 'string' ? { case: 's', value: new TextEncoder().encode(input) } : undefined;
  },
  int: (input) => {
    if (typeof input === 'bigint') return { case: 'i', value: input };
    return typeof input === 'number' && Number.isInteger(input) ? { case: 'i', value: BigInt(input) } : undefined;
  },
  float: (input) => (typeof input === 'number' ? { case: 'f', value: input } : undefined),
  bool: (input) => (typeof input === 'boolean' ? { case: 'b', value: input } : undefined),
  type: (input) => {
    const dtype = typeof input === 'string' ? parseDType(input) : undefined;
    return dtype && { case: 'type', value: dtypeNumber(dtype) };
  },
  shape: (input) => {
    if (input !== null && !(Array.isArray(input) && input.every((dim) => typeof dim === 'number'))) return undefined;
    return { case: 'shape', value: toPartialShapeProto(input ?? undefined) };
  },
  tensor: (input) => (input === null ? undefined : { case: 'tensor', value: toTensorProto(toTensor(input as Value)) }),
  func: (input) => (typeof input === 'string' ? { case: 'func', value: create(NameAttrListSchema, { name: input }) } : undefined),
};

function scalarAttr(kind: ScalarKind, input: AttrInput, name: string): AttrValue {
  const value = makers[kind](input);
  if (!value) throw misfit(name, kind, input);
  return create(AttrValueSchema, { value });
}

function misfit(name: string, kind: string, input: AttrInput): Error {
  const given = typeof input === 'object' ? (Array.isArray(input) ? `[${input}]` : 'an object') : `'${input}'`;
  return invalidArgument(`Attr '${name}' is of kind ${kind}, but ${given} was given`);
}
