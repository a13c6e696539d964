import { create } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { dtypeNumber, parseDType } from '#proto/wire/dtype.ts';
import { Graph } from '../../../../task-server/engine/graph.ts';

export interface NodeSpec {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly device?: string;
  /** Names of nodes to be colocated with. */
  readonly class?: readonly string[];
  /** A data type by name, a scalar `value` (of type `dtype`), a list of dimensions, or an integer. */
  readonly attr?: Readonly<Record<string, string | number | readonly number[]>>;
}

/** A small graph for a test: `graphOf({ name: 'a', op: 'NoOp' })`. */
export function graphOf(...nodes: readonly NodeSpec[]): Graph {
  return Graph.fromDef(graphDef(...nodes), { where: 'test' });
}

graphOf.def = graphDef;

export function graphDef(...nodes: readonly NodeSpec[]): GraphDef {
  return create(GraphDefSchema, { node: nodes.map(nodeDef), versions: { producer: 1000 } });
}

function nodeDef({ name, op, input = [], device = '', class: group, attr = {} }: NodeSpec): NodeDef {
  const values = Object.entries(attr).map(([key, value]) => [key, attrValue(key, value, attr['dtype'])]);
  if (group) values.push(['_class', classAttr(group)]);
  return create(NodeDefSchema, { name, op, input: [...input], device, attr: Object.fromEntries(values) });
}

function classAttr(names: readonly string[]): AttrValue {
  const s = names.map((name) => new TextEncoder().encode(`loc:@${name}`));
  return create(AttrValueSchema, { value: { case: 'list', value: { s } } });
}

function attrValue(key: string, value: string | number | readonly number[], dtype: unknown): AttrValue {
  if (key === 'value') return create(AttrValueSchema, { value: { case: 'tensor', value: scalar(Number(value), String(dtype)) } });
  if (typeof value === 'number') return create(AttrValueSchema, { value: { case: 'i', value: BigInt(value) } });
  if (typeof value === 'string') return create(AttrValueSchema, { value: { case: 'type', value: typeNumber(value) } });
  return create(AttrValueSchema, { value: { case: 'shape', value: { dim: value.map((size) => ({ size: BigInt(size) })) } } });
}

function scalar(value: number, dtype: string): { dtype: number; tensorShape: object; floatVal?: number[]; intVal?: number[] } {
  return { dtype: typeNumber(dtype), tensorShape: {}, ...(dtype === 'float' ? { floatVal: [value] } : { intVal: [value] }) };
}

function typeNumber(name: string): number {
  const dtype = parseDType(name);
  if (dtype === undefined) throw new Error(`No data type ${name}`);
  return dtypeNumber(dtype);
}
