/** Of two unknown numbers, `to` is at most `most` above `from`. */
export interface DifferenceBound {
  readonly from: string;
  readonly to: string;
  readonly most: number;
}

export interface Range {
  /** -Infinity where nothing bounds the number from below. */
  readonly least: number;
  /** Infinity where nothing bounds the number from above. */
  readonly most: number;
}

/** Smaller improvements are rounding errors and not worth another round. */
const TOLERANCE = 1e-3;
/** How exactly the slack of bounds that contradict each other is found. */
const SLACK_STEP = 0.25;

/** One bound for each pair: the tightest. Bounds that are no finite numbers say nothing. */
export function tightest(bounds: Iterable<DifferenceBound>): DifferenceBound[] {
  const byPair = new Map<string, DifferenceBound>();
  for (const bound of bounds) {
    const pair = `${bound.from} ${bound.to}`;
    if (Number.isFinite(bound.most) && bound.most < (byPair.get(pair)?.most ?? Number.POSITIVE_INFINITY)) byPair.set(pair, bound);
  }
  return [...byPair.values()];
}

/** What all bounds must be raised by for numbers to exist that keep them; 0 when they do not contradict each other. */
export function slackOf(bounds: readonly DifferenceBound[]): number {
  if (areConsistent(bounds)) return 0;
  let [low, high] = [0, bounds.reduce((worst, { most }) => Math.max(worst, -most), 0)];
  while (high - low > SLACK_STEP) {
    const middle = (low + high) / 2;
    // Halves of numbers this far apart cannot be told from them.
    if (middle <= low || middle >= high) break;
    if (areConsistent(raised(bounds, middle))) high = middle;
    else low = middle;
  }
  return high;
}

export function raised(bounds: readonly DifferenceBound[], by: number): DifferenceBound[] {
  return bounds.map((bound) => ({ ...bound, most: bound.most + by }));
}

/**
 * What each number can be when `reference` is 0 and the bounds, which must not contradict each other, are kept. All lower ends
 * together keep them, and so do all upper ends and all middles.
 */
export function rangesFrom(reference: string, bounds: readonly DifferenceBound[]): (unknown: string) => Range {
  const most = new Map([[reference, 0]]);
  const least = new Map([[reference, 0]]);
  relax(most, bounds);
  relax(
    least,
    bounds.map(({ from, to, most: bound }) => ({ from: to, to: from, most: bound })),
  );
  return (unknown) => ({
    least: -(least.get(unknown) ?? Number.POSITIVE_INFINITY),
    most: most.get(unknown) ?? Number.POSITIVE_INFINITY,
  });
}

function areConsistent(bounds: readonly DifferenceBound[]): boolean {
  return relax(new Map(bounds.flatMap(({ from, to }) => [from, to]).map((unknown) => [unknown, 0])), bounds);
}

/** Lowers the distances until all bounds are kept (Bellman and Ford). False when that has no end. */
function relax(distances: Map<string, number>, bounds: readonly DifferenceBound[]): boolean {
  const distanceOf = (unknown: string): number => distances.get(unknown) ?? Number.POSITIVE_INFINITY;
  const rounds = new Set(bounds.flatMap(({ from, to }) => [from, to])).size + 1;
  for (let round = 0; round < rounds; round++) {
    let isSettled = true;
    for (const { from, to, most } of bounds) {
      const distance = distanceOf(from) + most;
      if (distance >= distanceOf(to) - TOLERANCE) continue;
      distances.set(to, distance);
      isSettled = false;
    }
    if (isSettled) return true;
  }
  return false;
}
