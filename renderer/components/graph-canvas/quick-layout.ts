import { BoxTree } from './box-tree.ts';
import { layersOf, orderLayers } from './layers.ts';
import { BOX_PADDING, DEEP, GAP, type Layout, type LayoutNode, type LayoutRequest } from './layout.ts';
import type { CanvasPoint } from './types.ts';
import type { Box, Size } from './viewport.ts';

/** Width to height of what is laid out in several rows. */
const ASPECT = 1.6;

/** A layout of its own for thousands of nodes, in tens of milliseconds: layers as ELK makes them, but edges are left to be curves. */
export function quickLayout({ nodes, edges, direction }: LayoutRequest): Layout {
  const tree = new BoxTree(nodes, edges);
  const places = new Map<string, Box>();
  const boxes = new Map<string, Box>();
  arrange('', { tree, places, sideways: direction === 'right' });
  settle('', { x: 0, y: 0 }, tree, places, boxes);
  return { boxes, routes: new Map() };
}

interface Work {
  readonly tree: BoxTree;
  /** Of each node within the box that it is in. */
  readonly places: Map<string, Box>;
  /** Layers stand beside each other, else below each other. */
  readonly sideways: boolean;
}

/** Places the members of a box, inner boxes first. Returns the size that it takes. */
function arrange(box: string, work: Work): Size {
  const { tree, places, sideways } = work;
  const members = (tree.members.get(box) ?? []).map((node) => (tree.members.has(node.id) ? grow(node, arrange(node.id, work)) : node));
  const edges = tree.edges.get(box) ?? [];
  const layers = orderLayers(layersOf(members, edges), edges).map((layer) => measure(layer, sideways));
  let [length, breadth] = [0, 0];
  for (const row of rowsOf(layers)) {
    const widest = Math.max(...row.map(({ across }) => across));
    let start = 0;
    for (const { nodes, along, across } of row) {
      let offset = breadth + (widest - across) / 2;
      for (const node of nodes) {
        const inset = start + (along - (sideways ? node.width : node.height)) / 2;
        const [x, y] = sideways ? [inset, offset] : [offset, inset];
        places.set(node.id, { x: Math.round(x), y: Math.round(y), width: node.width, height: node.height });
        offset += (sideways ? node.height : node.width) + GAP.nodes;
      }
      start += along + GAP.layers;
    }
    length = Math.max(length, start - GAP.layers);
    breadth += widest + GAP.layers;
  }
  breadth = Math.max(0, breadth - GAP.layers);
  return sideways ? { width: length, height: breadth } : { width: breadth, height: length };
}

interface Layer {
  readonly nodes: readonly LayoutNode[];
  /** Pixels in the direction of the edges, and across it. */
  readonly along: number;
  readonly across: number;
}

function measure(nodes: readonly LayoutNode[], sideways: boolean): Layer {
  const along = Math.max(...nodes.map(({ width, height }) => (sideways ? width : height)));
  const across = nodes.reduce((sum, { width, height }) => sum + (sideways ? height : width) + GAP.nodes, -GAP.nodes);
  return { nodes, along, across };
}

/** A long chain of layers is broken into rows, as text is. */
function rowsOf(layers: readonly Layer[]): readonly (readonly Layer[])[] {
  if (layers.length < DEEP) return layers.length === 0 ? [] : [layers];
  const length = layers.reduce((sum, { along }) => sum + along + GAP.layers, 0);
  const breadth = Math.max(...layers.map(({ across }) => across)) + GAP.layers;
  const limit = Math.max(length / layers.length, Math.sqrt(length * breadth * ASPECT));
  const rows: Layer[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const layer of layers) {
    if (used + layer.along > limit) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(layer);
    used += layer.along + GAP.layers;
  }
  return rows;
}

function grow(node: LayoutNode, { width, height }: Size): LayoutNode {
  const { top, side } = BOX_PADDING;
  return { ...node, width: Math.max(node.width, width + 2 * side), height: Math.max(node.height, height + top + side) };
}

/** From places within a box to places on the canvas. */
function settle(box: string, origin: CanvasPoint, tree: BoxTree, places: ReadonlyMap<string, Box>, boxes: Map<string, Box>): void {
  for (const { id } of tree.members.get(box) ?? []) {
    const place = places.get(id);
    if (!place) continue;
    const settled = { ...place, x: place.x + origin.x, y: place.y + origin.y };
    boxes.set(id, settled);
    settle(id, { x: settled.x + BOX_PADDING.side, y: settled.y + BOX_PADDING.top }, tree, places, boxes);
  }
}
