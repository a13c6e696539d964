import type { SeriesColumns, SeriesInfo } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Core } from '../api/core.ts';
import { throttled } from './run-throttle.ts';
import { SeriesFollower } from './series-follower.ts';
import { type Detail, spliceDetail } from './splice-series.ts';

/** More than twice the pixels of a wide screen; the core thins what is longer and keeps the extremes. */
const POINTS = 8000;
/** Milliseconds between two drawings: each costs the machine that computes a few, and nobody reads a plot faster. */
const DRAWN_EVERY = 200;
/** A plot of more points is drawn less often, once a second at least: what is new since is hardly a pixel of it. */
const LONG = 800;
const DRAWN_AT_LEAST = 1000;
/** Milliseconds that a range must stay before its detail is fetched. */
const SETTLED = 150;

/** The series of one run: those there are, and those that come while it goes on. */
export class RunSeries {
  #whole = $state.raw<readonly SeriesColumns[]>([]);
  #detail = $state.raw<Detail | undefined>(undefined);
  readonly all: readonly SeriesColumns[] = $derived(spliceDetail(this.#whole, this.#detail));
  loaded = $state.raw(false);
  error = $state.raw<StatusError | undefined>(undefined);
  readonly #core: Core;
  readonly #run: string;
  readonly #follower: SeriesFollower;

  constructor(core: Core, run: string) {
    this.#core = core;
    this.#run = run;
    this.#follower = new SeriesFollower({
      fetch: () => this.#fetch(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      publish: throttled(pauseAfter, (series) => {
        this.#whole = series;
      }),
      most: 2 * POINTS,
    });
  }

  /** Follows the run until the returned function is called. */
  follow(): () => void {
    const stops = [
      this.#core.on('runs.samples', ({ run, series }) => {
        if (run !== this.#run) return;
        this.#follower.hear(series);
        if (this.#follower.isTooLong) void this.#load();
      }),
      this.#core.onState((state) => {
        if (state.kind === 'connected') void this.#load();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Shows the steps of a range in full, where the core has more samples of them. Returns what takes the wish back. */
  detail(range: readonly [from: number, to: number] | undefined, infos: readonly SeriesInfo[]): () => void {
    const [from, to] = range ?? [0, 0];
    const held = new Map(this.#whole.map(({ client, name, steps }) => [JSON.stringify([client, name]), steps.length]));
    const isThinned = infos.some(({ client, name, points }) => points > (held.get(JSON.stringify([client, name])) ?? points));
    if (!range || !isThinned) {
      this.#detail = undefined;
      return () => {};
    }
    const timer = setTimeout(async () => {
      try {
        this.#detail = { from, to, series: await this.#fetch(from, to) };
      } catch (error) {
        this.error = toStatusError(error);
      }
    }, SETTLED);
    return () => clearTimeout(timer);
  }

  #fetch(fromStep: number, toStep: number): Promise<readonly SeriesColumns[]> {
    return this.#core.call('runs.series', { run: this.#run, series: [], fromStep, toStep, points: POINTS });
  }

  async #load(): Promise<void> {
    try {
      await this.#follower.load();
      this.error = undefined;
      this.loaded = true;
    } catch (error) {
      this.error = toStatusError(error);
    }
  }
}

/** Milliseconds. */
function pauseAfter(series: readonly SeriesColumns[]): number {
  const points = Math.max(0, ...series.map(({ steps }) => steps.length));
  return Math.min(DRAWN_AT_LEAST, Math.max(DRAWN_EVERY, (DRAWN_EVERY * points) / LONG));
}
