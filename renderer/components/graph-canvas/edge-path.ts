import type { CanvasDirection, CanvasPoint } from './types.ts';

/** Pixels by which a corner is rounded. */
const ROUND = 6;
/** Least pull of a curve's ends, so that it leaves and enters straight even when it goes back. */
const PULL = 24;

export interface EdgePath {
  /** Path data of SVG. */
  readonly d: string;
  readonly middle: CanvasPoint;
}

/** A line through all points with rounded corners. */
export function routedPath(points: readonly CanvasPoint[]): EdgePath {
  const [first = { x: 0, y: 0 }] = points;
  let d = `M${first.x} ${first.y}`;
  for (let at = 1; at < points.length; at++) {
    const [before, corner, after] = [points[at - 1] ?? first, points[at] ?? first, points[at + 1]];
    if (!after) {
      d += `L${corner.x} ${corner.y}`;
      continue;
    }
    const [start, end] = [towards(corner, before), towards(corner, after)];
    d += `L${start.x} ${start.y}Q${corner.x} ${corner.y} ${end.x} ${end.y}`;
  }
  return { d, middle: middleOf(points) };
}

/** A curve from an output to an input. */
export function curvedPath(from: CanvasPoint, to: CanvasPoint, direction: CanvasDirection): EdgePath {
  const along = direction === 'right' ? to.x - from.x : to.y - from.y;
  const pull = Math.max(PULL, Math.abs(along) / 2);
  const [dx, dy] = direction === 'right' ? [pull, 0] : [0, pull];
  return {
    d: `M${from.x} ${from.y}C${from.x + dx} ${from.y + dy} ${to.x - dx} ${to.y - dy} ${to.x} ${to.y}`,
    middle: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 },
  };
}

function towards(from: CanvasPoint, to: CanvasPoint): CanvasPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return from;
  const share = Math.min(ROUND, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** The middle of the longest piece: there is room beside it. */
function middleOf(points: readonly CanvasPoint[]): CanvasPoint {
  let [middle, longest] = [points[0] ?? { x: 0, y: 0 }, -1];
  for (let at = 1; at < points.length; at++) {
    const [a, b] = [points[at - 1] ?? middle, points[at] ?? middle];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length > longest) [middle, longest] = [{ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, length];
  }
  return middle;
}
