import type { CanvasDirection, CanvasNode, CanvasPort } from './types.ts';

/** The one port of a node that names none. */
const only: readonly CanvasPort[] = [{ id: '' }];

export const portsOf = ({ inputs = only, outputs = only }: CanvasNode) => ({ inputs, outputs });

/** How far along its side a port is, in pixels from the side's beginning. */
export function portOffset(node: CanvasNode, at: number, count: number, direction: CanvasDirection): number {
  return ((direction === 'right' ? node.height : node.width) * (at + 1)) / (count + 1);
}
