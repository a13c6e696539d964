import { create } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import type { OpDef } from '#proto/ops/op-def.ts';
import { opDef } from '#proto/ops/registry.ts';

const attr = (value: AttrValue['value']): AttrValue => create(AttrValueSchema, { value });

export const type = (value: DataType): AttrValue => attr({ case: 'type', value });
export const int = (value: number): AttrValue => attr({ case: 'i', value: BigInt(value) });
export const bool = (value: boolean): AttrValue => attr({ case: 'b', value });
export const text = (value: string): AttrValue => attr({ case: 's', value: new TextEncoder().encode(value) });
export const placeholder = (value: string): AttrValue => attr({ case: 'placeholder', value });
export const types = (...type: DataType[]): AttrValue => create(AttrValueSchema, { value: { case: 'list', value: { type } } });
export const ints = (...i: number[]): AttrValue => create(AttrValueSchema, { value: { case: 'list', value: { i: i.map(BigInt) } } });

/** A built-in op that must exist. */
export function op(name: string): OpDef {
  const def = opDef(name);
  if (!def) throw new Error(`No op '${name}'`);
  return def;
}
