import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { GrowingColumns } from './growing-columns.ts';

interface SeriesSource {
  /** All samples there are. */
  fetch(): Promise<readonly SeriesColumns[]>;
  /** All series, in the order in which they appeared. */
  publish(series: readonly SeriesColumns[]): void;
}

/** Puts together what was there and what is heard: every sample once, and none lost in between. */
export class SeriesFollower {
  readonly #source: SeriesSource;
  #series = new Map<string, GrowingColumns>();
  /** What is heard before the answer to a query waits for it. */
  #early: SeriesColumns[] | undefined;

  constructor(source: SeriesSource) {
    this.#source = source;
  }

  hear(series: readonly SeriesColumns[]): void {
    if (this.#early) this.#early.push(...series);
    else this.#append(series);
  }

  /** Begins anew with all there is. */
  async load(): Promise<void> {
    this.#early ??= [];
    try {
      const series = await this.#source.fetch();
      this.#series = new Map();
      this.#append([...series, ...(this.#early ?? [])]);
    } finally {
      this.#early = undefined;
    }
  }

  #append(series: readonly SeriesColumns[]): void {
    for (const part of series) {
      const key = JSON.stringify([part.client, part.name]);
      const columns = this.#series.get(key) ?? new GrowingColumns(part.client, part.name);
      this.#series.set(key, columns);
      columns.append(part);
    }
    this.#source.publish([...this.#series.values()].map(({ columns }) => columns));
  }
}
