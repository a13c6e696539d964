import type { PlotSeries } from '../../plots/plot-model.ts';

/** Samples of several series side by side, one row for each step at which one has a sample. */
export interface FigureRow {
  readonly step: number;
  /** One for each series; undefined where it has no sample at this step. */
  readonly values: readonly (number | undefined)[];
}

/** Within a range of steps, in ascending order. Of several samples of a series at one step, the last. */
export function figureRows(series: readonly PlotSeries[], from: number, to: number): readonly FigureRow[] {
  const rows = new Map<number, (number | undefined)[]>();
  series.forEach(({ points }, at) => {
    points.steps.forEach((step, index) => {
      if (step < from || step > to) return;
      const values = rows.get(step) ?? new Array<number | undefined>(series.length).fill(undefined);
      values[at] = points.values[index];
      rows.set(step, values);
    });
  });
  return [...rows].map(([step, values]) => ({ step, values })).sort((a, b) => a.step - b.step);
}

/** As people paste it into a spreadsheet: RFC 4180, all digits, an empty cell where there is no sample. */
export function figuresCsv(series: readonly PlotSeries[]): string {
  const rows = figureRows(series, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const lines = [['step', ...series.map(({ label }) => label)], ...rows.map(({ step, values }) => [step, ...values])];
  return lines.map((cells) => cells.map((cell) => quote(String(cell ?? ''))).join(',')).join('\r\n');
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
