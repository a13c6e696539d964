/** Where an edge may begin or end on a node. */
export interface CanvasPort {
  /** Unique among the inputs, or the outputs, of its node. */
  readonly id: string;
  /** What the pointer and the screen reader are told. */
  readonly label?: string;
}

/** A node of a canvas. Coordinates are those of the canvas, not of a box around it; its size is given, never measured. */
export interface CanvasNode<D = unknown> {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Becomes the class `kind-…` of its element. */
  readonly kind: string;
  /** Its accessible name, said when it is reached by the keyboard. */
  readonly label: string;
  readonly data: D;
  /** One without a name when left out. */
  readonly inputs?: readonly CanvasPort[];
  readonly outputs?: readonly CanvasPort[];
  /** What a box is called where there is no room for its content. */
  readonly title?: string;
  /** A box around others: beneath edges and nodes; outer boxes come before inner ones. */
  readonly beneath?: boolean;
}

export interface CanvasPoint {
  readonly x: number;
  readonly y: number;
}

export interface CanvasEdge {
  readonly id: string;
  readonly from: string;
  /** Id of an output; empty for the first one. */
  readonly fromPort: string;
  readonly to: string;
  /** Id of an input; empty for the first one. */
  readonly toPort: string;
  /** Names one of the looks that the canvas is given. */
  readonly kind: string;
  /** Its accessible name. */
  readonly label: string;
  /** Short text in its middle. */
  readonly note?: string;
  /** From end to end, as a layout has routed it; a curve between the ports when left out. */
  readonly points?: readonly CanvasPoint[];
}

/** How edges of a kind are drawn. */
export interface EdgeLook {
  /** CSS colour. */
  readonly color: string;
  readonly dashed?: boolean;
  /** Of the line, in pixels at 100 %. */
  readonly width?: number;
}

/** An edge that the user is about to draw. */
export interface CanvasConnection {
  readonly from: string;
  readonly fromPort: string;
  readonly to: string;
  readonly toPort: string;
}

/** Where edges go: inputs at the left and outputs at the right, or from the top down. */
export type CanvasDirection = 'right' | 'down';

/** What the content of a node may depend on besides its data. */
export interface NodeState {
  readonly selected: boolean;
  /** So small on the screen that text cannot be read. */
  readonly far: boolean;
}
