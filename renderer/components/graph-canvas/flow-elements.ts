import { type Connection, type Edge, type Node, Position } from '@xyflow/svelte';
import { portOffset, portsOf } from './ports.ts';
import type { CanvasConnection, CanvasDirection, CanvasEdge, CanvasNode, CanvasPort } from './types.ts';

export type FlowNode = Node<{ node: CanvasNode }>;
export type FlowEdge = Edge<{ edge: CanvasEdge; lit: boolean }>;

/** The stacking of a canvas: boxes, edges, nodes. */
const LAYER = { box: 0, edge: 100, litEdge: 101, node: 200 };

/** Turns the canvas's elements into those of Svelte Flow; what did not change stays the same object, so that Flow need not look at it again. */
export class FlowElements {
  #nodes = new WeakMap<CanvasNode, Map<string, FlowNode>>();
  #edges = new WeakMap<CanvasEdge, Map<string, FlowEdge>>();

  nodes(
    nodes: readonly CanvasNode[],
    selected: ReadonlySet<string>,
    { direction, editable }: { direction: CanvasDirection; editable: boolean },
  ): FlowNode[] {
    return nodes.map((node) => {
      const isSelected = selected.has(node.id);
      return kept(this.#nodes, node, `${direction} ${editable} ${isSelected}`, () => ({
        id: node.id,
        type: 'canvas',
        class: `kind-${node.kind}`,
        position: { x: node.x, y: node.y },
        width: node.width,
        height: node.height,
        measured: { width: node.width, height: node.height },
        handles: handlesOf(node, direction),
        data: { node },
        zIndex: node.beneath ? LAYER.box : LAYER.node,
        draggable: editable && !node.beneath,
        selected: isSelected,
        ariaLabel: node.label,
        ariaRole: 'group',
        domAttributes: { 'aria-roledescription': undefined, 'aria-describedby': undefined },
      }));
    });
  }

  edges(edges: readonly CanvasEdge[], selected: ReadonlySet<string>, editable: boolean): FlowEdge[] {
    return edges.map((edge) => {
      const isSelected = selected.has(edge.id);
      const lit = isSelected || selected.has(edge.from) || selected.has(edge.to);
      return kept(this.#edges, edge, `${editable} ${isSelected} ${lit}`, () => ({
        id: edge.id,
        type: 'canvas',
        source: edge.from,
        sourceHandle: edge.fromPort,
        target: edge.to,
        targetHandle: edge.toPort,
        data: { edge, lit },
        zIndex: lit ? LAYER.litEdge : LAYER.edge,
        selectable: editable,
        selected: isSelected,
        ariaLabel: edge.label,
        ariaRole: 'img',
        domAttributes: { 'aria-roledescription': undefined },
      }));
    });
  }
}

function kept<K extends object, V>(cache: WeakMap<K, Map<string, V>>, key: K, variant: string, make: () => V): V {
  const variants = cache.get(key) ?? new Map<string, V>();
  cache.set(key, variants);
  const known = variants.get(variant);
  if (known) return known;
  const made = make();
  variants.set(variant, made);
  return made;
}

/** Flow is told where the ports are, so that it need not measure; edges end on the border. */
function handlesOf(node: CanvasNode, direction: CanvasDirection): NonNullable<FlowNode['handles']> {
  const { inputs, outputs } = portsOf(node);
  const place = (type: 'source' | 'target', ports: readonly CanvasPort[]) =>
    ports.map(({ id }, at) => {
      const offset = portOffset(node, at, ports.length, direction);
      const end = type === 'source';
      const [x, y] = direction === 'right' ? [end ? node.width : 0, offset] : [offset, end ? node.height : 0];
      return { id, type, position: sideOf(type, direction), x, y, width: 0, height: 0 };
    });
  return [...place('target', inputs), ...place('source', outputs)];
}

export function sideOf(type: 'source' | 'target', direction: CanvasDirection): Position {
  if (direction === 'right') return type === 'source' ? Position.Right : Position.Left;
  return type === 'source' ? Position.Bottom : Position.Top;
}

export function toConnection({
  source,
  sourceHandle,
  target,
  targetHandle,
}: Omit<Connection, 'sourceHandle' | 'targetHandle'> & Partial<Connection>): CanvasConnection {
  return { from: source, fromPort: sourceHandle ?? '', to: target, toPort: targetHandle ?? '' };
}
