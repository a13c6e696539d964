import type { Snippet } from 'svelte';
import type { CanvasConnection, CanvasDirection, CanvasEdge, CanvasNode, CanvasPoint, EdgeLook, NodeState } from './types.ts';

/** What a GraphCanvas is given. */
export interface CanvasProps<D> {
  /** Accessible name of the whole. */
  label: string;
  nodes: readonly CanvasNode<D>[];
  edges: readonly CanvasEdge[];
  /** How edges are drawn, by kind. */
  looks: Readonly<Record<string, EdgeLook>>;
  /** Of a node; it fills the node's size. */
  content: Snippet<[node: CanvasNode<D>, state: NodeState]>;
  /** Ids of nodes, and of edges where it is editable. */
  selected: readonly string[];
  onselect: (ids: readonly string[]) => void;
  /** Enter or a double click on a node. */
  onopen?: (id: string) => void;
  direction?: CanvasDirection;
  /** Colour of a node on the map of the whole; without it there is no map. */
  mapColor?: ((node: CanvasNode<D>) => string) | undefined;
  /** Accessible name of the map. */
  mapLabel?: string;
  /** Id of the element that explains the keys. */
  describedBy?: string;

  /** Lets the user move nodes, draw and delete edges; each of these needs its callback. */
  editable?: boolean;
  /** Pixels to which positions snap while nodes are moved. */
  snap?: number;
  /** The user drew an edge; nothing shows until `edges` has it. */
  onconnect?: (from: string, fromPort: string, to: string, toPort: string) => void;
  /** Why the connection cannot be, in words; undefined when it can. Asked while the user draws, the answer is shown. */
  validate?: (connection: CanvasConnection) => string | undefined;
  /** Called once for each node when the user has moved it. */
  onmove?: (id: string, x: number, y: number) => void;
  /** Ids of nodes and edges. */
  ondelete?: (ids: readonly string[]) => void;
  /** Something was dropped at a point of the canvas. */
  ondrop?: (point: CanvasPoint, data: DataTransfer) => void;
}
