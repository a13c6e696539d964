import type { Node } from './node.ts';

const PREFIX = 'loc:@';

/** Names of the nodes whose device these nodes share: themselves unless they are colocated in turn. Sorted. */
export function colocationGroups(nodes: readonly Pick<Node, 'name' | 'attrs'>[]): string[] {
  return [...new Set(nodes.flatMap(groupsOf))].sort();
}

function groupsOf(node: Pick<Node, 'name' | 'attrs'>): string[] {
  const attr = node.attrs['_class']?.value;
  if (attr?.case !== 'list') return [node.name];
  const texts = attr.value.s.map((bytes) => new TextDecoder().decode(bytes));
  return texts.filter((text) => text.startsWith(PREFIX)).map((text) => text.slice(PREFIX.length));
}
