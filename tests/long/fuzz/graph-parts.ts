import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import type { CodeName } from '#proto/wire/status.ts';

export type NodeInit = MessageInitShape<typeof NodeDefSchema>;
type AttrInit = MessageInitShape<typeof AttrValueSchema>;
type AttrInits = Readonly<Record<string, AttrInit>>;
type TensorInit = Extract<NonNullable<AttrInit['value']>, { case: 'tensor' }>['value'];

/** Graphs that no client library would send, to be created and then run for the node `out`, and how that may end. */
export interface BadGraphs {
  readonly codes: readonly CodeName[];
  /** Nodes by what is wrong with them. */
  readonly graphs: Readonly<Record<string, readonly NodeInit[]>>;
}

export const type = (value: DataType): AttrInit => ({ value: { case: 'type', value } });
export const int = (value: bigint): AttrInit => ({ value: { case: 'i', value } });
export const shape = (size: bigint): AttrInit => ({ value: { case: 'shape', value: { dim: [{ size }] } } });
export const types = (count: number): AttrInit => ({
  value: { case: 'list', value: { type: new Array<DataType>(count).fill(DataType.DT_FLOAT) } },
});
export const texts = (...values: string[]): AttrInit => ({
  value: { case: 'list', value: { s: values.map((value) => new TextEncoder().encode(value)) } },
});

export const T = type(DataType.DT_FLOAT);
export const I = type(DataType.DT_INT32);

export function node(name: string, op: string, input: readonly string[] = [], attr: AttrInits = {}): NodeInit {
  return { name, op, input: [...input], attr: { ...attr } };
}

export function constant(name: string, dtype: DataType, value: TensorInit, attr: AttrInits = {}): NodeInit {
  return node(name, 'Const', [], { dtype: type(dtype), value: { value: { case: 'tensor', value: { dtype, ...value } } }, ...attr });
}

export function dims(...sizes: bigint[]) {
  return { dim: sizes.map((size) => ({ size })) };
}

export function scalar(name: string, attr: AttrInits = {}): NodeInit {
  return constant(name, DataType.DT_FLOAT, { tensorShape: {}, floatVal: [1] }, attr);
}

export function ints(name: string, values: readonly number[]): NodeInit {
  return constant(name, DataType.DT_INT32, { tensorShape: dims(BigInt(values.length)), intVal: [...values] });
}

export function floats(name: string, ...sizes: bigint[]): NodeInit {
  return constant(name, DataType.DT_FLOAT, { tensorShape: dims(...sizes), floatVal: [1] });
}
