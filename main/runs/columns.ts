/** Samples by column; row k has element k of each. */
export interface Columns {
  readonly steps: Float64Array;
  readonly values: Float64Array;
  readonly times: Float64Array;
}

export interface Sample {
  readonly step: number;
  readonly value: number;
  /** Unix epoch in milliseconds. */
  readonly time: number;
}

const FIRST_CAPACITY = 64;

/** Columns that grow at their end, in memory that at most doubles. */
export class GrowingColumns {
  #data = emptyColumns(FIRST_CAPACITY);
  #length = 0;
  #isSorted = true;
  #last = Number.NaN;

  get length(): number {
    return this.#length;
  }

  /** The newest value; NaN when there is none. */
  get last(): number {
    return this.#last;
  }

  push({ step, value, time }: Sample): void {
    if (this.#length === this.#data.steps.length) this.#data = copiedInto(emptyColumns(this.#length * 2), 0, this.#data);
    const { steps, values, times } = this.#data;
    if (this.#length > 0 && step < (steps[this.#length - 1] ?? 0)) this.#isSorted = false;
    steps[this.#length] = step;
    values[this.#length] = value;
    times[this.#length] = time;
    this.#length++;
    this.#last = value;
  }

  /** All rows, in the order in which they came. Views: valid for ever, not grown. */
  all(): Columns {
    return this.#slice(0, this.#length);
  }

  /** Rows whose step lies between the two, both included. */
  between(fromStep: number, toStep: number): Columns {
    const all = this.all();
    if (!this.#isSorted) return filtered(all, (step) => step >= fromStep && step <= toStep);
    const isBefore = (step: number): boolean => step < fromStep;
    const isWithin = (step: number): boolean => step <= toStep;
    return this.#slice(partitionPoint(all.steps, isBefore), partitionPoint(all.steps, isWithin));
  }

  #slice(from: number, to: number): Columns {
    const { steps, values, times } = this.#data;
    return { steps: steps.subarray(from, to), values: values.subarray(from, to), times: times.subarray(from, to) };
  }
}

export function takeRows({ steps, values, times }: Columns, rows: ArrayLike<number>): Columns {
  const take = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row] ?? Number.NaN);
  return { steps: take(steps), values: take(values), times: take(times) };
}

/** One below the other. */
export function joinColumns(parts: readonly Columns[]): Columns {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const length = parts.reduce((sum, { steps }) => sum + steps.length, 0);
  const joined = emptyColumns(length);
  let at = 0;
  for (const part of parts) {
    copiedInto(joined, at, part);
    at += part.steps.length;
  }
  return joined;
}

function emptyColumns(length: number): Columns {
  return { steps: new Float64Array(length), values: new Float64Array(length), times: new Float64Array(length) };
}

function copiedInto(target: Columns, at: number, source: Columns): Columns {
  target.steps.set(source.steps, at);
  target.values.set(source.values, at);
  target.times.set(source.times, at);
  return target;
}

function filtered(columns: Columns, wanted: (step: number) => boolean): Columns {
  const rows: number[] = [];
  for (const [row, step] of columns.steps.entries()) if (wanted(step)) rows.push(row);
  return takeRows(columns, rows);
}

/** Number of elements at the front for which `holds` is true, when it is false for all after them. */
function partitionPoint(sorted: Float64Array, holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
