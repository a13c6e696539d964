import type { Graph, GraphNode } from '../engine/graph.ts';

/** Producers before consumers, else in the order of the definition; an edge that closes a loop is ignored. */
export function topologicalOrder(graph: Graph): GraphNode[] {
  const order: GraphNode[] = [];
  const seen = new Set<GraphNode>();
  for (const root of graph.nodes.values()) visit(root, seen, order);
  return order;
}

/** Depth first with a stack of its own: graphs are deeper than the call stack. */
function visit(root: GraphNode, seen: Set<GraphNode>, order: GraphNode[]): void {
  if (seen.has(root)) return;
  seen.add(root);
  const stack = [{ node: root, rest: producers(root) }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const next = top.rest.next();
    if (next.done) {
      order.push(top.node);
      stack.pop();
    } else if (!seen.has(next.value)) {
      seen.add(next.value);
      stack.push({ node: next.value, rest: producers(next.value) });
    }
  }
}

function* producers(node: GraphNode): Generator<GraphNode, void> {
  for (const { node: source } of node.inputs) yield source;
  yield* node.controlInputs;
}

/** For each node the nodes at the far end of its outgoing edges, control edges included; one entry per edge. */
export function consumersOf(graph: Graph): Map<GraphNode, GraphNode[]> {
  const consumers = new Map<GraphNode, GraphNode[]>();
  for (const node of graph.nodes.values()) {
    for (const source of producers(node)) {
      const list = consumers.get(source);
      if (list) list.push(node);
      else consumers.set(source, [node]);
    }
  }
  return consumers;
}
