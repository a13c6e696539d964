import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { GraphView, NodeDetails } from '#proto/ipc/contract.ts';
import { functionOpDef } from '#proto/ops/function-signature.ts';
import { opSignature } from '#proto/ops/op-summary.ts';
import { opDef } from '#proto/ops/registry.ts';
import { notFound } from '#proto/wire/status.ts';
import { parseInputName } from '#proto/wire/tensor-name.ts';
import { attrText } from './attr-texts.ts';
import { outputTexts } from './output-texts.ts';

/** So many notes about nodes are shown; a graph with one fault has it in all nodes behind. */
const MOST_NOTES = 5;

/** A graph as windows show it. */
export function graphColumns(def: GraphDef): Omit<GraphView, 'client' | 'clients'> {
  const { outputs, problems } = outputTexts(def);
  return {
    names: def.node.map(({ name }) => name),
    ops: def.node.map(({ op }) => op),
    devices: def.node.map(({ device }) => device),
    inputs: def.node.map(({ input }) => input),
    outputs: def.node.map(({ name }) => outputs.get(name) ?? []),
    notes: problems.slice(0, MOST_NOTES),
  };
}

/** NOT_FOUND when the graph has no such node. */
export function nodeDetails(def: GraphDef, name: string): NodeDetails {
  const node = def.node.find((each) => each.name === name);
  if (!node) throw notFound(`The graph has no node '${name}'; it may have been renamed or removed`);
  const signature = def.library?.function.find((each) => each.signature?.name === node.op)?.signature;
  const op = opDef(node.op) ?? (signature && functionOpDef(signature));
  return {
    name,
    op: node.op,
    summary: op ? opSignature(op) : '',
    device: node.device,
    inputs: node.input,
    outputs: outputTexts(def).outputs.get(name) ?? [],
    consumers: def.node.filter(({ input }) => input.some((text) => parseInputName(text).node === name)).map((each) => each.name),
    attrs: Object.entries(node.attr)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([attr, value]) => [attr, attrText(value)] as const),
  };
}
