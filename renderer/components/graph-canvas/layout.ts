import type { CanvasDirection, CanvasPoint } from './types.ts';
import type { Box } from './viewport.ts';

/** Something that needs a place. Whatever others name as their parent is a box around them, and as large as it takes. */
export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Id of the box that it is in; boxes come before what they hold. */
  readonly parent?: string | undefined;
}

export interface LayoutEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

export interface LayoutRequest {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  readonly direction: CanvasDirection;
}

export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  /** From end to end; edges that are left out are drawn as curves. */
  readonly routes: ReadonlyMap<string, readonly CanvasPoint[]>;
}

/** Pixels between the border of a box and what it holds; its title is at the top. */
export const BOX_PADDING = { top: 38, side: 14 };
/** Pixels between nodes of a layer, and between layers. */
export const GAP = { nodes: 18, layers: 56 };

/** From so many layers on, a graph is broken into rows: a chain of fifty cannot be seen at once. */
export const DEEP = 14;
