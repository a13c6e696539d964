import { BoxTree } from './box-tree.ts';
import { layersOf } from './layers.ts';
import type { LayoutEdge, LayoutNode } from './layout.ts';

export interface Effort {
  /** Layers of what is in no box. */
  readonly depth: number;
  /** Nodes and places where an edge passes a layer: ELK makes something for each of them. */
  readonly passes: number;
}

/** How much there is to lay out. */
export function effortOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Effort {
  const tree = new BoxTree(nodes, edges);
  let [depth, passes] = [0, nodes.length];
  for (const [box, members] of tree.members) {
    const inner = tree.edges.get(box) ?? [];
    const layers = layersOf(members, inner);
    const layerOf = new Map(layers.flatMap((layer, at) => layer.map(({ id }) => [id, at] as const)));
    for (const { from, to } of inner) passes += Math.abs((layerOf.get(to) ?? 0) - (layerOf.get(from) ?? 0));
    if (box === '') depth = layers.length;
  }
  return { depth, passes };
}
