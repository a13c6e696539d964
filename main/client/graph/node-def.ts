import { create } from '@bufbuild/protobuf';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { stripDefaults } from '#proto/ops/defaults.ts';
import { formatInputName } from '#proto/wire/tensor-name.ts';
import type { Node } from './node.ts';

/**
 * Version of the graph format that our graphs declare: that of TensorFlow 1.15. Newer servers take older graphs; ops that
 * were deprecated up to this version are refused, so a low number is the permissive one.
 */
export const GRAPH_PRODUCER = 134;

/** Attrs that equal the op's default are left out, so that servers older than the attr accept the node. */
export function toNodeDef(node: Node): NodeDef {
  const data = node.inputs.map((input) => formatInputName({ node: input.node.name, output: input.index }));
  const control = node.controlInputs.map(({ name }) => `^${name}`);
  return create(NodeDefSchema, {
    name: node.name,
    op: node.type,
    input: [...data, ...control],
    device: node.device,
    attr: stripDefaults(node.def, node.attrs),
  });
}
