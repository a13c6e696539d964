import type { Points } from './lives.ts';

/** A column of a plot: null is a gap in the line, undefined only says that another line has a sample there. */
export type Column = readonly (number | null | undefined)[];

export interface Aligned {
  readonly steps: readonly number[];
  readonly columns: readonly Column[];
}

/** Lines over one common axis of steps, as the plot library wants them. Values that cannot be drawn become gaps. */
export function align(lines: readonly Points[], log: boolean): Aligned {
  const steps = commonSteps(lines);
  return { steps, columns: lines.map((line) => columnOf(line, steps, log)) };
}

function commonSteps(lines: readonly Points[]): number[] {
  const [first, ...others] = lines;
  if (!first) return [];
  if (others.every(({ steps }) => sameSteps(steps, first.steps)) && isStrictlyAscending(first.steps)) return Array.from(first.steps);
  const all = new Float64Array(lines.reduce((sum, { steps }) => sum + steps.length, 0));
  let at = 0;
  for (const { steps } of lines) {
    all.set(steps, at);
    at += steps.length;
  }
  return Array.from(all.sort()).filter((step, index, sorted) => index === 0 || step !== sorted[index - 1]);
}

function columnOf({ steps, values }: Points, common: readonly number[], log: boolean): Column {
  const column = new Array<number | null | undefined>(common.length).fill(undefined);
  let at = 0;
  steps.forEach((step, index) => {
    while (common[at] !== step) at++;
    const value = values[index] ?? Number.NaN;
    column[at] = Number.isFinite(value) && !(log && value <= 0) ? value : null;
  });
  return column;
}

function sameSteps(a: Float64Array, b: Float64Array): boolean {
  return a === b || (a.length === b.length && a.every((step, at) => step === b[at]));
}

function isStrictlyAscending(steps: Float64Array): boolean {
  return steps.every((step, at) => at === 0 || step > (steps[at - 1] ?? step));
}
