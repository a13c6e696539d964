import { getContext, type Snippet, setContext } from 'svelte';
import type { CanvasDirection, CanvasNode, EdgeLook, NodeState } from './types.ts';

/** What a canvas tells the nodes and edges that Svelte Flow draws for it. Read when drawn, so that changes show. */
export interface CanvasContext {
  readonly content: Snippet<[node: CanvasNode, state: NodeState]>;
  readonly looks: Readonly<Record<string, EdgeLook>>;
  readonly direction: CanvasDirection;
  readonly editable: boolean;
  readonly far: boolean;
  /** Id of the arrow head for edges of a kind. */
  arrowOf(kind: string, lit: boolean): string;
}

const key = Symbol('graph canvas');

export function setCanvas(context: CanvasContext): void {
  setContext(key, context);
}

export function useCanvas(): CanvasContext {
  const context = getContext<CanvasContext | undefined>(key);
  if (!context) throw new Error('Nodes and edges of a graph are drawn by a GraphCanvas only');
  return context;
}
