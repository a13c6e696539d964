import type { SeriesColumns } from '#proto/ipc/contract.ts';

/** What a plot needs of a series. */
export type Points = Pick<SeriesColumns, 'steps' | 'values'> & Partial<Pick<SeriesColumns, 'times'>>;

/**
 * Cuts a series where its steps go back (its program began anew) and at the times when a task was restarted (its variables were
 * lost): what came before is not joined with what comes after. `restarts` as the times of the series, in ascending order.
 */
export function splitLives({ steps, values, times }: Points, restarts: readonly number[] = []): readonly Points[] {
  const lives: Points[] = [];
  const isRestart = (at: number) => restarts.some((restart) => (times?.[at - 1] ?? restart) < restart && restart <= (times?.[at] ?? 0));
  let from = 0;
  for (let at = 1; at <= steps.length; at++) {
    if (at < steps.length && (steps[at] ?? 0) >= (steps[at - 1] ?? 0) && !isRestart(at)) continue;
    lives.push({ steps: steps.subarray(from, at), values: values.subarray(from, at) });
    from = at;
  }
  return steps.length === 0 ? [] : lives;
}

/** Index of the last step that is not above `step`; -1 when all are. */
export function indexAt(steps: Float64Array, step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value that a series had at a step: that of the last sample up to it, in its latest life that reaches so far. */
export function valueAt(lives: readonly Points[], step: number): number | undefined {
  const life = lives.findLast(
    ({ steps }) => (steps[0] ?? Number.POSITIVE_INFINITY) <= step && (steps.at(-1) ?? Number.NEGATIVE_INFINITY) >= step,
  );
  const ended = lives.findLast(({ steps }) => (steps.at(-1) ?? Number.POSITIVE_INFINITY) <= step);
  const shown = life ?? ended;
  return shown?.values[indexAt(shown.steps, step)];
}
