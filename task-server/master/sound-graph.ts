import { create } from '@bufbuild/protobuf';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { parseInputName } from '#proto/wire/tensor-name.ts';
import { Graph } from '../engine/graph.ts';
import { classNames } from './colocation.ts';
import { checkGraph, checkGraphDef } from './graph-check.ts';
import type { PlacementProblem } from './placement.ts';

export interface SoundGraph {
  readonly graph: Graph;
  readonly problems: readonly PlacementProblem[];
}

/** A definition with more faults than this is none; each costs another look at the whole. */
const MAX_FAULTS = 20;

/**
 * The part of a definition that CreateSession would accept: without the nodes it would refuse, and without all that depends
 * on these. `where` is named by unknown ops.
 */
export function soundGraph(def: GraphDef, where: string): SoundGraph {
  const problems: PlacementProblem[] = [];
  let rest = def;
  for (;;) {
    try {
      return { graph: checked(rest, where), problems };
    } catch (thrown) {
      const error = toStatusError(thrown);
      const { node } = error.details;
      problems.push({ node: node ?? '', error, colocated: node === undefined ? [] : [node] });
      if (node === undefined || problems.length === MAX_FAULTS) return { graph: Graph.fromDef(withNodes(def, []), { where }), problems };
      rest = withNodes(rest, independentOf(node, rest.node));
    }
  }
}

function checked(def: GraphDef, where: string): Graph {
  checkGraphDef(def);
  const graph = Graph.fromDef(def, { where });
  checkGraph(graph);
  return graph;
}

function withNodes({ library, versions }: GraphDef, node: NodeDef[]): GraphDef {
  return create(GraphDefSchema, { node, ...(library && { library }), ...(versions && { versions }) });
}

/** All but the nodes of that name, and those that take from them or are colocated with them, directly or not. */
function independentOf(name: string, nodes: readonly NodeDef[]): NodeDef[] {
  const dependents = new Map<string, string[]>();
  for (const node of nodes) {
    for (const source of [...node.input.map((input) => parseInputName(input).node), ...classNames(node.attr)]) {
      const list = dependents.get(source);
      if (list) list.push(node.name);
      else dependents.set(source, [node.name]);
    }
  }
  const dropped = new Set([name]);
  for (const each of dropped) for (const dependent of dependents.get(each) ?? []) dropped.add(dependent);
  return nodes.filter((node) => !dropped.has(node.name));
}
