import type { SeriesColumns, SeriesInfo, SeriesQuery } from '#proto/ipc/contract.ts';
import { GrowingColumns, type Sample } from './columns.ts';
import { decimate } from './decimate.ts';

interface Series {
  readonly client: string;
  readonly name: string;
  readonly columns: GrowingColumns;
}

/** Samples of any number of series, in memory. */
export class SeriesStore {
  readonly #byClient = new Map<string, Map<string, Series>>();
  /** In the order in which they appeared. */
  readonly #all: Series[] = [];

  add(client: string, name: string, sample: Sample): void {
    this.columns(client, name).push(sample);
  }

  /** Where samples of that series go; a new series when there is none. */
  columns(client: string, name: string): GrowingColumns {
    const ofClient = this.#byClient.get(client) ?? new Map<string, Series>();
    this.#byClient.set(client, ofClient);
    const known = ofClient.get(name);
    if (known) return known.columns;
    const series = { client, name, columns: new GrowingColumns() };
    ofClient.set(name, series);
    this.#all.push(series);
    return series.columns;
  }

  infos(): readonly SeriesInfo[] {
    return this.#all.map(({ client, name, columns }) => ({ client, name, points: columns.length, last: columns.last }));
  }

  query({ series: wanted, fromStep, toStep, points }: Omit<SeriesQuery, 'run'>): readonly SeriesColumns[] {
    const isWanted = (series: Series): boolean => wanted.some(({ client, name }) => client === series.client && name === series.name);
    return this.#all
      .filter((series) => wanted.length === 0 || isWanted(series))
      .map(({ client, name, columns }) => ({ client, name, ...decimate(columns.between(fromStep, toStep), points) }));
  }

  /** Every sample of every series. */
  all(): readonly SeriesColumns[] {
    return this.#all.map(({ client, name, columns }) => ({ client, name, ...columns.all() }));
  }
}
