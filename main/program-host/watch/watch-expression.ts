import { invalidArgument } from '#proto/wire/status.ts';
import type { GraphBuilder, Output } from '../../client/index.ts';

/** What is to be watched: a variable `w`, a tensor `loss:0`, or one element `w[3]`, `w[0,2]` of either. */
export interface WatchExpression {
  /** As it was written: the name of its series. */
  readonly text: string;
  readonly node: string;
  readonly output: number;
  /** Of one element; undefined for the whole tensor. */
  readonly indices?: readonly number[];
}

export function parseWatch(text: string): WatchExpression {
  const parts = /^([A-Za-z0-9.][\w./>-]*)(?::(\d+))?(?:\[(\d+(?:\s*,\s*\d+)*)\])?$/.exec(text.trim());
  if (!parts) throw invalidArgument(`'${text}' cannot be watched: write NAME, NAME:OUTPUT or NAME[INDEX,…], such as loss:0 or w[0,2]`);
  const [, node = '', output = '0', indices] = parts;
  return { text: text.trim(), node, output: Number(output), ...(indices !== undefined && { indices: indices.split(',').map(Number) }) };
}

/** The tensor to read, undefined when the graph has no such node. INVALID_ARGUMENT when the node gives nothing that could be read. */
export function watchedTensor(graph: GraphBuilder, { text, node: name, output }: WatchExpression): Output | undefined {
  const node = graph.nodes.get(name);
  if (!node) return undefined;
  if (node.type === 'VarHandleOp') {
    const reader = [...graph.nodes.values()].find(({ type, inputs }) => type === 'ReadVariableOp' && inputs[0]?.node === node);
    if (reader) return reader.output();
    throw invalidArgument(`'${text}' cannot be watched: no node of the graph reads this variable`);
  }
  const tensor = node.outputs[output];
  if (!tensor) throw invalidArgument(`'${text}' cannot be watched: node '${name}' (${node.type}) has ${node.outputs.length} outputs`);
  return tensor;
}
