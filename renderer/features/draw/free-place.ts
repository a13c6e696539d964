import type { DocumentNode } from '#proto/graph-document/document.ts';
import { sizeOf } from './canvas-elements.ts';

const GAP = { x: 56, y: 24 };

/** A place for a new node: to the right of another one, or of all of them; below what is there already. */
export function freePlace(nodes: readonly DocumentNode[], beside: DocumentNode | undefined): { readonly x: number; readonly y: number } {
  const start = beside ?? nodes.reduce<DocumentNode | undefined>((right, node) => (right && right.x >= node.x ? right : node), undefined);
  if (!start) return { x: 0, y: 0 };
  const { width } = sizeOf(start);
  const x = start.x + width + GAP.x;
  let y = start.y;
  for (let hit = at(nodes, x, y); hit; hit = at(nodes, x, y)) y = hit.y + sizeOf(hit).height + GAP.y;
  return { x, y };
}

function at(nodes: readonly DocumentNode[], x: number, y: number): DocumentNode | undefined {
  return nodes.find((node) => {
    const { width, height } = sizeOf(node);
    return x < node.x + width && node.x < x + width && y < node.y + height && node.y < y + height;
  });
}
