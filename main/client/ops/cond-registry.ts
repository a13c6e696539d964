import type { Node, Output } from '../graph/node.ts';

const COLLECTION = 'cond_merges';

interface Merge {
  readonly node: Node;
  readonly predicate: Output;
}

/** Remembers in the graph which predicate a Merge node belongs to; gradients go the way back through it. */
export function recordMerge(node: Node, predicate: Output): void {
  node.graph.collection<Merge>(COLLECTION).push({ node, predicate });
}

/** The predicate of a Merge that `cond` made; undefined for others. */
export function mergePredicate(node: Node): Output | undefined {
  return node.graph.collection<Merge>(COLLECTION).find((merge) => merge.node === node)?.predicate;
}
