import { type StatusError, unimplemented } from '#proto/wire/status.ts';
import type { Graph, GraphNode } from './graph.ts';

const ENTER: ReadonlySet<string> = new Set(['Enter', 'RefEnter']);
const EXIT: ReadonlySet<string> = new Set(['Exit', 'RefExit']);
const OTHERS: ReadonlySet<string> = new Set(['NextIteration', 'RefNextIteration', 'LoopCond']);

/** Does the node only make sense in a graph with loops? */
export function isLoopNode({ def }: GraphNode): boolean {
  return ENTER.has(def.name) || EXIT.has(def.name) || OTHERS.has(def.name);
}

/** In how many loops the outputs of each node are; nodes that are in none are left out. */
export function loopDepths(graph: Graph): ReadonlyMap<GraphNode, number> {
  const depths = new Map<GraphNode, number>();
  const consumers = consumersOf(graph);
  const entries = [...graph.nodes.values()].filter(({ def }) => ENTER.has(def.name));
  const queue = [...entries];
  for (const node of queue) {
    const depth = Math.min(outputDepth(node, depths), entries.length);
    if (depth <= (depths.get(node) ?? 0)) continue;
    depths.set(node, depth);
    queue.push(...(consumers.get(node) ?? []));
  }
  return depths;
}

function outputDepth(node: GraphNode, depths: ReadonlyMap<GraphNode, number>): number {
  const sources = [...node.inputs.map((input) => input.node), ...node.controlInputs];
  const depth = Math.max(0, ...sources.map((source) => depths.get(source) ?? 0));
  if (ENTER.has(node.def.name)) return depth + 1;
  return EXIT.has(node.def.name) ? depth - 1 : depth;
}

function consumersOf(graph: Graph): ReadonlyMap<GraphNode, readonly GraphNode[]> {
  const consumers = new Map<GraphNode, GraphNode[]>();
  for (const node of graph.nodes.values()) {
    for (const source of [...node.inputs.map((input) => input.node), ...node.controlInputs]) {
      const known = consumers.get(source);
      if (known) known.push(node);
      else consumers.set(source, [node]);
    }
  }
  return consumers;
}

export function loopAcrossDevices(source: GraphNode, consumer: GraphNode): StatusError {
  return unimplemented(
    `A loop that spans devices is not supported: the edge from '${source.name}' (${source.device}) to '${consumer.name}' ` +
      `(${consumer.device}) is inside one. Place all nodes of the loop on one device.`,
  );
}
