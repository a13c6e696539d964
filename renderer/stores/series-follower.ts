import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { GrowingColumns } from './growing-columns.ts';

interface SeriesSource {
  /** All samples there are. */
  fetch(): Promise<readonly SeriesColumns[]>;
  /** All series, in the order in which they appeared. */
  publish(series: readonly SeriesColumns[]): void;
  /** A series that has grown beyond as many samples is fetched anew, thinned. */
  readonly most: number;
}

/** Puts together what was there and what is heard: every sample once, and none lost in between. */
export class SeriesFollower {
  readonly #source: SeriesSource;
  #series = new Map<string, GrowingColumns>();
  /** What is heard before the answer to a query is part of the answer; it counts only if there is none. */
  #early: SeriesColumns[] | undefined;

  constructor(source: SeriesSource) {
    this.#source = source;
  }

  hear(series: readonly SeriesColumns[]): void {
    if (this.#early) this.#early.push(...series);
    else this.#append(series);
  }

  get isTooLong(): boolean {
    return !this.#early && [...this.#series.values()].some(({ length }) => length > this.#source.most);
  }

  /** Begins anew with all there is. What is heard meanwhile is shown when the answer has come, or has failed to. */
  async load(): Promise<void> {
    const early: SeriesColumns[] = [];
    this.#early = early;
    try {
      const series = await this.#source.fetch();
      // The connection was lost and made again meanwhile: the newer query counts.
      if (this.#early !== early) return;
      this.#early = undefined;
      this.#series = new Map();
      this.#append(series);
    } catch (error) {
      if (this.#early === early) {
        this.#early = undefined;
        this.#append(early);
      }
      throw error;
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
