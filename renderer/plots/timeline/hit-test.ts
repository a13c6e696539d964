import { type LanePlace, rowAt } from './lane-layout.ts';
import { at, type RowIndex, slicesBetween } from './row-index.ts';
import { type TimeScale, timeAt } from './time-view.ts';
import type { SliceRef } from './timeline-data.ts';

/** How far beside a slice a pointer may be, in pixels: narrow slices stay reachable. */
const REACH = 3;

interface HitScene {
  readonly rows: readonly (readonly RowIndex[])[];
  readonly places: readonly LanePlace[];
  readonly scale: TimeScale;
}

/** The slice at a point; of several within reach the nearest. `y` counts from the top of all lanes. */
export function sliceAt({ rows, places, scale }: HitScene, x: number, y: number): SliceRef | undefined {
  const spot = rowAt(places, y);
  if (!spot) return undefined;
  const indexes = rows[spot.lane] ?? [];
  const candidates = spot.row === undefined ? indexes : indexes.slice(spot.row, spot.row + 1);
  const [time, reach] = [timeAt(scale, x), (REACH * scale.span) / scale.width];
  let [best, nearest] = [undefined as SliceRef | undefined, Number.POSITIVE_INFINITY];
  for (const row of candidates) {
    const { first, last } = slicesBetween(row, time - reach, time + reach);
    for (const i of near(row, first, last, time)) {
      const distance = Math.max(0, at(row.start, i) - time, time - at(row.end, i));
      if (distance >= nearest) continue;
      [best, nearest] = [{ lane: spot.lane, slice: at(row.slices, i) }, distance];
    }
  }
  return best;
}

/** Of a range only the slices next to the moment can be nearest; far out a pixel may hold thousands. */
function near(row: RowIndex, first: number, last: number, time: number): number[] {
  const { first: middle } = slicesBetween(row, time, time);
  return [middle - 1, middle, middle + 1].filter((i) => i >= first && i < last);
}
