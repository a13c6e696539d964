import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import type { VersionDef } from '#proto/generated/tensorflow/versions_pb.ts';
import { graphProducer, tensorflowVersion } from '#proto/ops/registry.ts';
import { invalidArgument, unimplemented } from '#proto/wire/status.ts';
import { isValidNodeName, parseInputName } from '#proto/wire/tensor-name.ts';
import type { Graph, GraphNode } from '../engine/graph.ts';
import { onBehalfOf } from '../engine/on-behalf-of.ts';
import { classNames } from './colocation.ts';

/** What a definition from a client must keep to before its nodes are looked at. Throws INVALID_ARGUMENT; a node's name is its detail. */
export function checkGraphDef(def: GraphDef): void {
  for (const node of def.node) onBehalfOf(node.name, () => checkNodeDef(node));
  if (def.versions) checkVersions(def.versions);
}

/** What can be wrong with a client's graph although each node fits its op. */
export function checkGraph(graph: Graph): void {
  for (const node of graph.nodes.values()) onBehalfOf(node.name, () => checkNode(node, graph));
}

function checkNode(node: GraphNode, graph: Graph): void {
  const unknown = classNames(node.attrs.values).find((name) => !graph.node(name));
  if (unknown !== undefined) throw invalidArgument(`Node '${node.name}' expects to be colocated with unknown node '${unknown}'`);
  const producer = graph.versions?.producer ?? 0;
  const { name, deprecation } = node.def;
  if (deprecation !== undefined && deprecation <= producer) {
    throw unimplemented(`Op ${name} is not available in GraphDef version ${producer}. It has been removed in version ${deprecation}.`);
  }
}

function checkNodeDef({ name, input }: NodeDef): void {
  if (!isValidNodeName(name)) throw invalidArgument(`Illegal op name '${name}'`);
  checkInputs(name, input);
}

function checkInputs(name: string, inputs: readonly string[]): void {
  let control = false;
  for (const text of inputs) {
    if (!isValidNodeName(parseInputName(text).node)) throw invalidArgument(`Illegal op input name '${text}'`);
    if (control && !text.startsWith('^')) {
      throw invalidArgument(`Node '${name}': Control dependencies must come after regular dependencies`);
    }
    control ||= text.startsWith('^');
  }
}

function checkVersions({ producer, minConsumer, badConsumers }: VersionDef): void {
  if (producer < 0) {
    throw invalidArgument(
      `GraphDef producer version ${producer} below min producer 0 supported by TensorFlow ${tensorflowVersion}.  Please regenerate your graph.`,
    );
  }
  if (minConsumer > graphProducer) {
    throw invalidArgument(
      `GraphDef min consumer version ${minConsumer} above current version ${graphProducer} for TensorFlow ${tensorflowVersion}.  Please upgrade TensorFlow.`,
    );
  }
  if (badConsumers.includes(graphProducer)) {
    throw invalidArgument(
      `GraphDef disallows consumer version ${graphProducer}.  Please upgrade TensorFlow: this version is likely buggy.`,
    );
  }
}
