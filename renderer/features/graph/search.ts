import type { GraphNode } from './graph-model.ts';

interface Searched {
  readonly node: GraphNode;
  readonly device: string;
}

/**
 * What has all words of the query in its name, op or device, best first: last part of the name alike, then beginning alike, then anywhere
 * in the name, then op, then device. Among equals the shorter name, then the order of the graph.
 */
export function searchNodes(nodes: Iterable<GraphNode>, query: string, deviceOf: (name: string) => string): readonly GraphNode[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: { readonly node: GraphNode; readonly rank: number }[] = [];
  for (const node of nodes) {
    const ranks = words.map((word) => rankOf({ node, device: deviceOf(node.name) }, word));
    if (!ranks.includes(undefined)) found.push({ node, rank: ranks.reduce<number>((sum, rank) => sum + (rank ?? 0), 0) });
  }
  return found.sort((a, b) => a.rank - b.rank || a.node.name.length - b.node.name.length).map(({ node }) => node);
}

/** Undefined when the word is nowhere in it. */
function rankOf({ node, device }: Searched, word: string): number | undefined {
  const title = node.title.toLowerCase();
  if (title === word) return 0;
  if (title.startsWith(word)) return 1;
  if (node.name.toLowerCase().includes(word)) return 2;
  if (node.op.toLowerCase().startsWith(word)) return 3;
  if (node.op.toLowerCase().includes(word)) return 4;
  return device.toLowerCase().includes(word) ? 5 : undefined;
}
