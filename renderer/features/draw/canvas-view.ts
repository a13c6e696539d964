/** What the tools of a drawing do with its canvas. */
export interface CanvasView {
  fit(): void;
  zoomBy(factor: number): void;
  show(node: string): void;
}
