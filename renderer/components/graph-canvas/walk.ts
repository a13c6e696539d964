import type { CanvasDirection, CanvasEdge, CanvasNode } from './types.ts';

export type Way = 'inputs' | 'consumers' | 'before' | 'after';

const ways: Readonly<Record<CanvasDirection, Readonly<Record<string, Way>>>> = {
  right: { ArrowLeft: 'inputs', ArrowRight: 'consumers', ArrowUp: 'before', ArrowDown: 'after' },
  down: { ArrowUp: 'inputs', ArrowDown: 'consumers', ArrowLeft: 'before', ArrowRight: 'after' },
};

/** Which way an arrow key goes; undefined for other keys. */
export function wayOf(key: string, direction: CanvasDirection): Way | undefined {
  return ways[direction][key];
}

type Nodes = readonly CanvasNode[];
type Edges = readonly Pick<CanvasEdge, 'from' | 'to'>[];

/** The node that is reached from another one: along an edge, or to the next one beside it. Undefined at an end. */
export function walk(nodes: Nodes, edges: Edges, from: string, way: Way, direction: CanvasDirection): CanvasNode | undefined {
  const here = nodes.find(({ id }) => id === from);
  if (!here) return firstOf(nodes, direction);
  const across = direction === 'right' ? centreY : centreX;
  if (way === 'before' || way === 'after') return beside(nodes, here, way, direction);
  const ids = new Set(
    way === 'inputs' ? edges.flatMap((e) => (e.to === from ? e.from : [])) : edges.flatMap((e) => (e.from === from ? e.to : [])),
  );
  return nearest(
    nodes.filter(({ id }) => ids.has(id)),
    (node) => Math.abs(across(node) - across(here)),
  );
}

/** Where walking begins: the node at the beginning of the graph. */
export function firstOf(nodes: Nodes, direction: CanvasDirection): CanvasNode | undefined {
  return nearest(
    nodes.filter(({ beneath }) => !beneath),
    ({ x, y }) => (direction === 'right' ? x * 4 + y : y * 4 + x),
  );
}

/** The next one in the same layer if there is one, else the nearest on that side. */
function beside(nodes: Nodes, here: CanvasNode, way: Way, direction: CanvasDirection): CanvasNode | undefined {
  const [along, across] = direction === 'right' ? [centreX, centreY] : [centreY, centreX];
  const reach = (direction === 'right' ? here.width : here.height) / 2;
  const side = way === 'after' ? 1 : -1;
  const onSide = nodes.filter((node) => !node.beneath && node.id !== here.id && (across(node) - across(here)) * side > 0);
  return nearest(onSide, (node) => {
    const off = Math.abs(along(node) - along(here));
    return (across(node) - across(here)) * side + (off <= reach ? 0 : off * 4);
  });
}

function nearest(nodes: Nodes, distance: (node: CanvasNode) => number): CanvasNode | undefined {
  let [found, least]: [CanvasNode | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const node of nodes) {
    const far = distance(node);
    if (far < least) [found, least] = [node, far];
  }
  return found;
}

const centreX = ({ x, width }: CanvasNode) => x + width / 2;
const centreY = ({ y, height }: CanvasNode) => y + height / 2;
