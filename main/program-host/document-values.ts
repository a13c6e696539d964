import { attrFromJson, isTensorJson } from '#proto/graph-document/attr-json.ts';
import type { AttrJson, Value } from '#proto/graph-document/document.ts';
import { elementsOf } from '#proto/graph-document/tensor-value.ts';
import type { OpDef } from '#proto/ops/op-def.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { type AttrInput, type Value as ClientValue, toTensor } from '../client/index.ts';

/** A document's value as the client library takes it: long integers as bigint, `NaN` and infinities as numbers. */
export function clientValue(value: Value, dtype: DType): ClientValue {
  const { shape, elements } = elementsOf(value, dtype);
  const nest = (dims: readonly number[], from: number, to: number): ClientValue => {
    const [first, ...rest] = dims;
    if (first === undefined) return elements[from] ?? 0;
    const stride = first === 0 ? 0 : (to - from) / first;
    return Array.from({ length: first }, (_, i) => nest(rest, from + i * stride, from + (i + 1) * stride));
  };
  return nest(shape, 0, elements.length);
}

/** An attr as the client library takes it. */
export function attrInput(def: OpDef, name: string, json: AttrJson): AttrInput {
  const attr = def.attrs.find((each) => each.name === name);
  if (!attr) throw invalidArgument(`Op '${def.name}' has no attr '${name}'`);
  return attr.type === 'tensor' && isTensorJson(json)
    ? toTensor(clientValue(json.value, json.dtype), json.dtype)
    : attrFromJson(attr, json);
}
