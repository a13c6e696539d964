import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { csvRow } from './csv.ts';
import type { ExportRun } from './export-source.ts';
import { joinTexts } from './pieces.ts';
import { seriesLabels } from './series-labels.ts';

/** One row for each step, one column for each series; an empty cell where a series has no sample. */
export const exportSeriesCsv: ExportRun = async ({ record, series }) => ({
  name: `${record.id}.csv`,
  content: await joinTexts(csvRows(series.all())),
});

function* csvRows(series: readonly SeriesColumns[]): Generator<string> {
  yield csvRow(['step', ...seriesLabels(series)]);
  const cursors = series.map((columns) => new Cursor(columns));
  for (;;) {
    const step = cursors.reduce((least, cursor) => Math.min(least, cursor.step), Number.POSITIVE_INFINITY);
    if (step === Number.POSITIVE_INFINITY) return;
    yield csvRow([step, ...cursors.map((cursor) => cursor.take(step))]);
  }
}

/** Walks through a series by step. A step that occurs twice makes two rows. */
class Cursor {
  readonly #columns: SeriesColumns;
  readonly #order: Uint32Array;
  #at = 0;

  constructor(columns: SeriesColumns) {
    this.#columns = columns;
    const { steps } = columns;
    this.#order = Uint32Array.from(steps.keys()).sort((a, b) => (steps[a] ?? 0) - (steps[b] ?? 0) || a - b);
  }

  /** Infinity at the end. */
  get step(): number {
    const row = this.#order[this.#at];
    return row === undefined ? Number.POSITIVE_INFINITY : (this.#columns.steps[row] ?? 0);
  }

  take(step: number): number | string {
    const row = this.#order[this.#at];
    if (row === undefined || this.step !== step) return '';
    this.#at++;
    return this.#columns.values[row] ?? '';
  }
}
