import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { TensorProto } from '#proto/generated/tensorflow/tensor_pb.ts';
import type { TensorShapeProto } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import { type AttrCase, attrValue, caseOfKind, elementKind, emptyList, isListKind, typeFromName } from './attr-kind.ts';
import type { AttrDef, AttrKind, OpDef, ScalarKind, TypeName } from './op-def.ts';

/** An op as a line of the data file holds it: as OpDef, but with defaults in plain JSON. */
type OpJson = Omit<OpDef, 'name' | 'attrs'> & { attrs: (Omit<AttrDef, 'default'> & { default?: ValueJson })[] };

/** Text, number, a type's name; `null` for a shape of unknown rank; "inf" and "-inf" for what JSON lacks. */
type ValueJson = string | number | boolean | null | number[] | TensorJson | ValueJson[];

/** A small integer tensor; no op has another one as default. */
interface TensorJson {
  dtype: TypeName;
  shape: number[];
  values: number[];
}

export function parseOp(name: string, text: string): OpDef {
  const { attrs, ...op } = JSON.parse(text) as OpJson;
  return { name, ...op, attrs: attrs.map(parseAttr) };
}

function parseAttr({ default: json, ...attr }: OpJson['attrs'][number]): AttrDef {
  return json === undefined ? attr : { ...attr, default: parseValue(attr.type, json) };
}

function parseValue(kind: AttrKind, json: ValueJson): AttrValue {
  const element = elementKind(kind);
  const name = caseOfKind[element];
  if (!isListKind(kind)) return attrValue({ case: name, value: parseScalar(element, json) } as AttrCase);
  const elements = (json as ValueJson[]).map((item) => parseScalar(element, item));
  return attrValue({ case: 'list', value: { ...emptyList(), [name]: elements } });
}

const scalarParsers: Partial<Record<ScalarKind, (json: ValueJson) => unknown>> = {
  string: (json) => new TextEncoder().encode(json as string),
  int: (json) => BigInt(json as number),
  // What a float32 holds, so that it equals the value that came over the wire.
  float: (json) => Math.fround(typeof json === 'string' ? (json === 'inf' ? Infinity : -Infinity) : (json as number)),
  bool: (json) => json,
  type: (json) => typeFromName(json as TypeName),
  shape: (json) => shapeProto(json as number[] | null),
  tensor: (json) => tensorProto(json as TensorJson),
};

function parseScalar(kind: ScalarKind, json: ValueJson): unknown {
  return scalarParsers[kind]?.(json);
}

function shapeProto(sizes: number[] | null): TensorShapeProto {
  const dim = (sizes ?? []).map((size) => ({ $typeName: 'tensorflow.TensorShapeProto.Dim' as const, size: BigInt(size), name: '' }));
  return { $typeName: 'tensorflow.TensorShapeProto', dim, unknownRank: sizes === null };
}

function tensorProto({ dtype, shape, values }: TensorJson): TensorProto {
  return {
    $typeName: 'tensorflow.TensorProto',
    dtype: typeFromName(dtype),
    tensorShape: shapeProto(shape),
    versionNumber: 0,
    tensorContent: new Uint8Array(0),
    intVal: values,
    halfVal: [],
    floatVal: [],
    doubleVal: [],
    stringVal: [],
    scomplexVal: [],
    int64Val: [],
    boolVal: [],
    dcomplexVal: [],
    resourceHandleVal: [],
    variantVal: [],
    uint32Val: [],
    uint64Val: [],
    float8Val: new Uint8Array(0),
  };
}
