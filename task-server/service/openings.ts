import type { Log } from './log.ts';
import { createPeerFilter, type Ends, type Opening, type PeerFilter } from './peer-filter.ts';

export interface OpeningsEnv {
  readonly port: number;
  readonly log: Log;
  /** Called when an opening has ended: cuts the plaintext connections that are not admitted any more, and tells their number. */
  readonly cut: () => number;
}

/** A network that may connect now. */
export interface OpenNetwork {
  readonly network: string;
  /** Milliseconds until it may no longer; -1: as long as the task runs. */
  readonly remainingMs: number;
}

interface Life {
  /** By the monotonic clock; undefined: for ever. */
  readonly endsAt?: number;
  readonly timer?: NodeJS.Timeout;
}

/** The networks that may connect in plain text, some for a time only. */
export class Openings implements PeerFilter {
  readonly #open: Map<Opening, Life>;
  #filter: PeerFilter;
  #env: OpeningsEnv | undefined;

  /** All are open, but their time does not run yet. */
  constructor(openings: readonly Opening[] = []) {
    this.#open = new Map(openings.map((opening) => [opening, {}]));
    this.#filter = this.#newFilter();
  }

  admits(connection: Ends): boolean {
    return this.#filter.admits(connection);
  }

  get now(): readonly OpenNetwork[] {
    return [...this.#open].map(([{ network }, { endsAt }]) => ({
      network,
      remainingMs: endsAt === undefined ? -1 : Math.max(0, endsAt - performance.now()),
    }));
  }

  /** The port is there: says what is open, and closes it when its time is over. */
  begin(env: OpeningsEnv): void {
    this.#env = env;
    for (const opening of this.#open.keys()) this.#begin(opening, env);
  }

  open(opening: Opening): void {
    this.#open.set(opening, {});
    this.#filter = this.#newFilter();
    if (this.#env) this.#begin(opening, this.#env);
  }

  /** Ends it, saying why; connections that came through it end too. One that has ended already is left alone. */
  close(opening: Opening, why: string): void {
    const life = this.#open.get(opening);
    if (!life) return;
    clearTimeout(life.timer);
    this.#open.delete(opening);
    this.#filter = this.#newFilter();
    if (!this.#env) return;
    const { port, log, cut } = this.#env;
    log.warning(`port ${port} is no longer open to ${opening.network}: ${why}; connections closed: ${cut()}`);
  }

  dispose(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
  }

  #begin(opening: Opening, { port, log }: OpeningsEnv): void {
    const { network, seconds } = opening;
    log.warning(`port ${port} is open, in plain text, to ${network}${seconds === undefined ? '' : ` for ${seconds} s`}`);
    if (seconds === undefined) return;
    const timer = setTimeout(() => this.close(opening, `its ${seconds} s are over`), seconds * 1000).unref();
    this.#open.set(opening, { endsAt: performance.now() + seconds * 1000, timer });
  }

  #newFilter(): PeerFilter {
    return createPeerFilter([...this.#open.keys()].map(({ network }) => network));
  }
}
