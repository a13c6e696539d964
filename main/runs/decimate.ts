import { type Columns, takeRows } from './columns.ts';

/** With fewer points than these the promises below cannot be kept. */
export const FEWEST_POINTS = 8;

/** Of the points, this part may go to the ends of lives. */
const SHARE_OF_LIVES = 1 / 4;

/**
 * At most `points` rows that look like all of them: first and last row, smallest and largest finite value, and a NaN and each
 * infinity, of every stretch that has them; and both sides of each place where steps go back, as there a series begins anew, unless
 * there are too many. So no extreme is lost, and no gap. Rows stay in order; `points` is at least 8.
 */
export function decimate(columns: Columns, points: number): Columns {
  const { steps, values } = columns;
  const { length } = values;
  if (length <= points) return columns;
  const perStretch = 2 + kindsOfNonFinite(values);
  const ends = endsOfLives(steps, Math.min(points * SHARE_OF_LIVES, points - 2 - perStretch));
  const stretches = Math.max(1, Math.floor((points - 2 - ends.length) / perStretch));
  const rows = new Set<number>([0, ...ends, length - 1]);
  for (let i = 0; i < stretches; i++) {
    const [from, to] = [Math.floor((i * length) / stretches), Math.floor(((i + 1) * length) / stretches)];
    for (const row of notable(values, from, to)) rows.add(row);
  }
  return takeRows(
    columns,
    [...rows].sort((a, b) => a - b),
  );
}

/** The last row of each life and the first of the next; none when there are more than `most`. */
function endsOfLives(steps: Float64Array, most: number): readonly number[] {
  const ends: number[] = [];
  for (let row = 1; row < steps.length; row++) {
    if ((steps[row] ?? 0) >= (steps[row - 1] ?? 0)) continue;
    ends.push(row - 1, row);
    if (ends.length > most) return [];
  }
  return ends;
}

function kindsOfNonFinite(values: Float64Array): number {
  const kinds = new Set<number>();
  for (const value of values) if (!Number.isFinite(value)) kinds.add(value);
  return kinds.size;
}

/** Rows from `from` to before `to` that must not be lost, in order. */
function notable(values: Float64Array, from: number, to: number): number[] {
  let [least, most] = [-1, -1];
  const nonFinite = new Map<number, number>();
  for (let row = from; row < to; row++) {
    const value = values[row] ?? Number.NaN;
    if (!Number.isFinite(value)) {
      if (!nonFinite.has(value)) nonFinite.set(value, row);
      continue;
    }
    if (least === -1 || value < (values[least] ?? 0)) least = row;
    if (most === -1 || value > (values[most] ?? 0)) most = row;
  }
  return [least, most, ...nonFinite.values()].filter((row) => row !== -1).sort((a, b) => a - b);
}
