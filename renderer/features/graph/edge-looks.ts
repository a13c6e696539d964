import type { EdgeLook } from '../../components/graph-canvas/types.ts';
import type { VisibleEdge } from './visible-graph.ts';

export const edgeKinds = ['data', 'control', 'crossing', 'crossingControl'] as const;
export type EdgeKind = (typeof edgeKinds)[number];

export const edgeLooks: Readonly<Record<EdgeKind, EdgeLook>> = {
  data: { color: 'var(--faint)', width: 1.2 },
  control: { color: 'var(--faint)', width: 1, dashed: true },
  crossing: { color: 'var(--warn)', width: 2.2 },
  crossingControl: { color: 'var(--warn)', width: 1.8, dashed: true },
};

export function edgeKind({ isControl, isCrossing }: Pick<VisibleEdge, 'isControl' | 'isCrossing'>): EdgeKind {
  if (isCrossing) return isControl ? 'crossingControl' : 'crossing';
  return isControl ? 'control' : 'data';
}
