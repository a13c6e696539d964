import type { SeriesColumns } from '#proto/ipc/contract.ts';

const FIRST_CAPACITY = 256;

/** A series that grows at its end. What `columns` hands out stays as it is when more is appended. */
export class GrowingColumns {
  readonly #client: string;
  readonly #name: string;
  #length = 0;
  #steps = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);
  #times = new Float64Array(FIRST_CAPACITY);

  constructor(client: string, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Appends samples, except the first ones that are here already (a live event may overlap the answer to a query). */
  append({ steps, values, times }: Pick<SeriesColumns, 'steps' | 'values' | 'times'>): void {
    let from = 0;
    while (from < steps.length && this.#holds(steps[from] ?? 0, times[from] ?? 0)) from++;
    const added = steps.length - from;
    this.#reserve(this.#length + added);
    this.#steps.set(steps.subarray(from), this.#length);
    this.#values.set(values.subarray(from), this.#length);
    this.#times.set(times.subarray(from), this.#length);
    this.#length += added;
  }

  get columns(): SeriesColumns {
    return {
      client: this.#client,
      name: this.#name,
      steps: this.#steps.subarray(0, this.#length),
      values: this.#values.subarray(0, this.#length),
      times: this.#times.subarray(0, this.#length),
    };
  }

  #holds(step: number, time: number): boolean {
    const last = this.#length - 1;
    return last >= 0 && step <= (this.#steps[last] ?? 0) && time <= (this.#times[last] ?? 0);
  }

  #reserve(length: number): void {
    if (length <= this.#steps.length) return;
    const capacity = Math.max(length, this.#steps.length * 2);
    const grow = (old: Float64Array<ArrayBuffer>) => {
      const larger = new Float64Array(capacity);
      larger.set(old.subarray(0, this.#length));
      return larger;
    };
    this.#steps = grow(this.#steps);
    this.#values = grow(this.#values);
    this.#times = grow(this.#times);
  }
}
