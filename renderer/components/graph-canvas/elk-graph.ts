import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { effortOf } from './effort.ts';
import { BOX_PADDING, DEEP, GAP, type Layout, type LayoutRequest } from './layout.ts';
import type { CanvasPoint } from './types.ts';
import type { Box } from './viewport.ts';

const directions = { right: 'RIGHT', down: 'DOWN' } as const;

/** What is asked, in the words of the Eclipse Layout Kernel: layers, edges at right angles, all coordinates those of the whole. */
export function toElk({ nodes, edges, direction }: LayoutRequest): ElkNode {
  const isParent = new Set(nodes.map(({ parent }) => parent));
  const made = new Map<string, ElkNode & { children: ElkNode[] }>();
  const roots: ElkNode[] = [];
  for (const { id, width, height, parent } of nodes) {
    const node = { id, width, height, children: [], ...(isParent.has(id) && { layoutOptions: boxOptions(width, height) }) };
    made.set(id, node);
    (made.get(parent ?? '')?.children ?? roots).push(node);
  }
  return {
    id: '',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': directions[direction],
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.json.shapeCoords': 'ROOT',
      'elk.json.edgeCoords': 'ROOT',
      'elk.spacing.nodeNode': String(GAP.nodes),
      'elk.spacing.edgeEdge': '7',
      'elk.spacing.edgeNode': '12',
      'elk.spacing.componentComponent': '32',
      'elk.layered.spacing.nodeNodeBetweenLayers': String(GAP.layers),
      'elk.layered.spacing.edgeNodeBetweenLayers': '14',
      'elk.layered.spacing.edgeEdgeBetweenLayers': '7',
      'elk.layered.thoroughness': '2',
      'elk.layered.mergeEdges': 'false',
      'elk.aspectRatio': '1.6',
      ...(effortOf(nodes, edges).depth >= DEEP && { 'elk.layered.wrapping.strategy': 'MULTI_EDGE' }),
    },
    children: roots,
    edges: edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

export function fromElk(root: ElkNode): Layout {
  const boxes = new Map<string, Box>();
  const routes = new Map<string, readonly CanvasPoint[]>();
  const visit = ({ children = [], edges = [] }: ElkNode) => {
    for (const edge of edges) routes.set(edge.id, routeOf(edge));
    for (const child of children) {
      boxes.set(child.id, { x: child.x ?? 0, y: child.y ?? 0, width: Math.round(child.width ?? 0), height: Math.round(child.height ?? 0) });
      visit(child);
    }
  };
  visit(root);
  return { boxes, routes };
}

function boxOptions(width: number, height: number): Record<string, string> {
  const { top, side } = BOX_PADDING;
  return {
    'elk.padding': `[top=${top},left=${side},bottom=${side},right=${side}]`,
    'elk.nodeSize.constraints': 'MINIMUM_SIZE',
    'elk.nodeSize.minimum': `(${width},${height})`,
  };
}

function routeOf({ sections = [] }: ElkExtendedEdge): readonly CanvasPoint[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);
}
