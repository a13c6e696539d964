import { create } from '@bufbuild/protobuf';
import { type AttrValue, NameAttrListSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { type TensorShapeProto, TensorShapeProtoSchema } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import { checkAttr } from '#proto/ops/attr-check.ts';
import { type AttrCase, attrValue, caseOfKind, elementKind, emptyList, isListKind, listElements, typeName } from '#proto/ops/attr-kind.ts';
import type { AttrDef, ScalarKind } from '#proto/ops/op-def.ts';
import { partialShape } from '#proto/wire/attr.ts';
import { dtypeNumber, parseDType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { AttrJson } from './document.ts';
import { type Element, elementsOf } from './tensor-value.ts';

/**
 * The value of an attr as a message; of a tensor only dtype, shape and integers, which is what types and shapes follow from. Throws
 * INVALID_ARGUMENT with the bare reason when it is none that the attr can have.
 */
export function attrFromJson(def: AttrDef, json: AttrJson): AttrValue {
  const kind = elementKind(def.type);
  const value = isListKind(def.type) ? listAttr(kind, json) : attrValue({ case: caseOfKind[kind], value: scalar(kind, json) } as AttrCase);
  checkAttr(def, value);
  return value;
}

/** An attr's value as a document holds it; undefined where it is no plain one: a tensor, a function with attrs of its own. */
export function attrToJson(def: AttrDef, { value }: AttrValue): AttrJson | undefined {
  const kind = elementKind(def.type);
  if (value.case !== 'list') return toJson(kind, value.value);
  const elements = listElements(value.value).map((element) => toJson(kind, element));
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

function listAttr(kind: ScalarKind, json: AttrJson): AttrValue {
  if (!Array.isArray(json)) throw invalidArgument('a list is wanted');
  const list = emptyList();
  const target: unknown[] = list[caseOfKind[kind]];
  for (const element of json) target.push(scalar(kind, element));
  return attrValue({ case: 'list', value: list });
}

function scalar(kind: ScalarKind, json: AttrJson): unknown {
  const value = readers[kind](json);
  if (value === undefined) throw invalidArgument(`${JSON.stringify(json)} is no ${kind}`);
  return value;
}

const readers: Readonly<Record<ScalarKind, (json: AttrJson) => unknown>> = {
  string: (json) => (typeof json === 'string' ? new TextEncoder().encode(json) : undefined),
  int: (json) => {
    if (typeof json === 'string' && /^-?\d+$/.test(json)) return BigInt(json);
    return Number.isSafeInteger(json) ? BigInt(json as number) : undefined;
  },
  float: (json) => {
    if (json === 'NaN' || json === 'Infinity' || json === '-Infinity') return Number(json);
    return typeof json === 'number' ? json : undefined;
  },
  bool: (json) => (typeof json === 'boolean' ? json : undefined),
  type: (json) => {
    const dtype = typeof json === 'string' ? parseDType(json) : undefined;
    return dtype && dtypeNumber(dtype);
  },
  shape: (json) => {
    if (json === null) return shapeProto(null);
    const isShape = Array.isArray(json) && json.every((dim) => Number.isSafeInteger(dim) && (dim as number) >= -1);
    return isShape ? shapeProto(json as readonly number[]) : undefined;
  },
  tensor: (json) => (isTensorJson(json) ? tensorProto(elementsOf(json.value, json.dtype), dtypeNumber(json.dtype)) : undefined),
  func: (json) => (typeof json === 'string' ? create(NameAttrListSchema, { name: json }) : undefined),
};

export function isTensorJson(json: AttrJson): json is Extract<AttrJson, { readonly dtype: unknown }> {
  return typeof json === 'object' && json !== null && 'dtype' in json;
}

function shapeProto(shape: readonly number[] | null): TensorShapeProto {
  return create(TensorShapeProtoSchema, { unknownRank: shape === null, dim: (shape ?? []).map((size) => ({ size: BigInt(size) })) });
}

/** Longer tensors are data and decide no shape. */
const MOST_ELEMENTS = 64;

function tensorProto({ shape, elements }: { readonly shape: readonly number[]; readonly elements: readonly Element[] }, dtype: number) {
  const integers = elements.length <= MOST_ELEMENTS ? elements.filter((each) => typeof each === 'number' && Number.isInteger(each)) : [];
  return create(TensorProtoSchema, { dtype, tensorShape: shapeProto(shape), intVal: integers.map(Number) });
}

function toJson(kind: ScalarKind, value: unknown): AttrJson | undefined {
  if (kind === 'string') return new TextDecoder().decode(value as Uint8Array);
  if (kind === 'int') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (kind === 'float') return Number.isFinite(value) ? (value as number) : String(value);
  if (kind === 'bool') return value as boolean;
  if (kind === 'type') return typeName(value as number);
  if (kind === 'shape') return partialShape(value as TensorShapeProto) ?? null;
  return undefined;
}
