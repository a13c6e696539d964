import type { Log } from './log.ts';
import { createPeerFilter, type Ends, type Opening, type PeerFilter } from './peer-filter.ts';

export interface OpeningsEnv {
  readonly port: number;
  readonly log: Log;
  /** Called when an opening has ended: cuts the plaintext connections that are not admitted any more, and tells their number. */
  readonly cut: () => number;
}

/** The networks that may connect in plain text, some for a time only. */
export class Openings implements PeerFilter {
  readonly #open: Set<Opening>;
  readonly #timers: NodeJS.Timeout[] = [];
  #filter: PeerFilter;

  /** All are open, but their time does not run yet. */
  constructor(openings: readonly Opening[]) {
    this.#open = new Set(openings);
    this.#filter = createPeerFilter(openings.map(({ network }) => network));
  }

  admits(connection: Ends): boolean {
    return this.#filter.admits(connection);
  }

  /** Says what is open, and closes it when its time is over. */
  begin({ port, log, cut }: OpeningsEnv): void {
    for (const opening of this.#open) {
      const { network, seconds } = opening;
      log.warning(`port ${port} is open, in plain text, to ${network}${seconds === undefined ? '' : ` for ${seconds} s`}`);
      if (seconds === undefined) continue;
      const end = (): void => {
        this.#open.delete(opening);
        this.#filter = createPeerFilter([...this.#open].map((each) => each.network));
        const count = cut();
        log.warning(`port ${port} is no longer open to ${network}: its ${seconds} s are over; connections closed: ${count}`);
      };
      this.#timers.push(setTimeout(end, seconds * 1000).unref());
    }
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
