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

  get length(): number {
    return this.#length;
  }

  append({ steps, values, times }: Pick<SeriesColumns, 'steps' | 'values' | 'times'>): void {
    this.#reserve(this.#length + steps.length);
    this.#steps.set(steps, this.#length);
    this.#values.set(values, this.#length);
    this.#times.set(times, this.#length);
    this.#length += steps.length;
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
