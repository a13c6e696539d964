import { curvedPath, routedPath } from './edge-path.ts';
import { portOffset } from './ports.ts';
import type { CanvasDirection, CanvasEdge, CanvasNode, CanvasPoint } from './types.ts';
import { type Box, type Size, toCanvas, type View } from './viewport.ts';

/** More nodes in sight than this are drawn as plain shapes: elements for each of them would take seconds. */
const CROWD = 250;

/** Are there too many nodes in sight to draw each as an element? */
export function isCrowded(nodes: readonly Box[], view: View, screen: Size): boolean {
  if (nodes.length <= CROWD) return false;
  const from = toCanvas(view, { x: 0, y: 0 });
  const to = toCanvas(view, { x: screen.width, y: screen.height });
  let count = 0;
  for (const { x, y, width, height } of nodes) {
    if (x < to.x && y < to.y && x + width > from.x && y + height > from.y && ++count > CROWD) return true;
  }
  return false;
}

/** All nodes of a colour as one path. */
export function shapesByColor<D>(nodes: readonly CanvasNode<D>[], colorOf: (node: CanvasNode<D>) => string): ReadonlyMap<string, string> {
  const shapes = new Map<string, string>();
  for (const node of nodes) {
    const color = colorOf(node);
    shapes.set(color, `${shapes.get(color) ?? ''}M${node.x} ${node.y}h${node.width}v${node.height}h${-node.width}z`);
  }
  return shapes;
}

/** All edges of a kind as one path. */
export function linesByKind(
  nodes: readonly CanvasNode[],
  edges: readonly CanvasEdge[],
  direction: CanvasDirection,
): ReadonlyMap<string, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lines = new Map<string, string>();
  for (const { kind, from, to, points } of edges) {
    const [start, end] = [byId.get(from), byId.get(to)];
    if (!start || !end) continue;
    const { d } = points ? routedPath(points) : curvedPath(endOf(start, 'out', direction), endOf(end, 'in', direction), direction);
    lines.set(kind, (lines.get(kind) ?? '') + d);
  }
  return lines;
}

/** The node at a point, the one in front if there are several. */
export function nodeAt<D>(nodes: readonly CanvasNode<D>[], { x, y }: CanvasPoint): CanvasNode<D> | undefined {
  const under = nodes.filter((node) => x >= node.x && x <= node.x + node.width && y >= node.y && y <= node.y + node.height);
  return under.findLast(({ beneath }) => !beneath) ?? under.at(-1);
}

function endOf(node: CanvasNode, side: 'in' | 'out', direction: CanvasDirection): CanvasPoint {
  const middle = portOffset(node, 0, 1, direction);
  if (direction === 'right') return { x: node.x + (side === 'out' ? node.width : 0), y: node.y + middle };
  return { x: node.x + middle, y: node.y + (side === 'out' ? node.height : 0) };
}
