import type { GraphDocument } from '#proto/graph-document/document.ts';
import type { Pins } from '#proto/ipc/contract.ts';

export interface Renamed {
  readonly from: string;
  readonly to: string;
}

/** The one node whose name differs between two versions of a document, if that is the only such difference: done, undone or done again. */
export function renamedNode(before: Pick<GraphDocument, 'nodes'>, after: Pick<GraphDocument, 'nodes'>): Renamed | undefined {
  if (before.nodes === after.nodes || before.nodes.length !== after.nodes.length) return undefined;
  const changes = before.nodes.flatMap(({ name: from, kind }, i) => {
    const node = after.nodes[i];
    return node && node.kind === kind && node.name !== from ? [{ from, to: node.name }] : [];
  });
  const [only] = changes;
  return changes.length === 1 && only && !before.nodes.some(({ name }) => name === only.to) ? only : undefined;
}

/** Pins go by name, so they follow a node to its new one, with what is made for it; undefined when there are none. */
export function movedPins(pins: Pins, { from, to }: Renamed): Pins | undefined {
  const isOf = (name: string): boolean => name === from || name.startsWith(`${from}/`);
  const entries = Object.entries(pins);
  if (!entries.some(([name]) => isOf(name))) return undefined;
  return Object.fromEntries(entries.map(([name, device]) => [isOf(name) ? to + name.slice(from.length) : name, device]));
}
