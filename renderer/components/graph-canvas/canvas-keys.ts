/** What the keys of a canvas do; those that are left out are left to whatever is around it. */
export interface CanvasKeys {
  zoomIn(): void;
  zoomOut(): void;
  fit(): void;
  open(): void;
  clear(): void;
  delete(): void;
}

const keys: Readonly<Record<string, keyof CanvasKeys>> = {
  '+': 'zoomIn',
  '=': 'zoomIn',
  '-': 'zoomOut',
  _: 'zoomOut',
  '0': 'fit',
  Enter: 'open',
  Escape: 'clear',
  Delete: 'delete',
  Backspace: 'delete',
};

/** Which of them a key stands for. */
export function canvasKey(key: string): keyof CanvasKeys | undefined {
  return keys[key];
}
