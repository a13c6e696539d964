import { toStatusError } from '#proto/wire/status.ts';
import type { Log } from './log.ts';
import { parseOpeningText, type RequestedOpening, readOpeningText, timeLeft } from './opening-file.ts';
import type { Openings } from './openings.ts';
import type { Opening } from './peer-filter.ts';

export interface OpeningWatchEnv {
  readonly path: string;
  readonly openings: Openings;
  readonly log: Log;
}

const EVERY_MS = 1000;

/** Opens and closes a task as its opening file says, which is looked at every second. What cannot be read opens nothing. */
export class OpeningWatch {
  readonly #env: OpeningWatchEnv;
  readonly #timer: NodeJS.Timeout;
  /** As last read. An opening whose time was over does not begin anew when the clock is set back: only a new text opens. */
  #text = '';
  #current: { readonly opening: Opening; readonly wanted: RequestedOpening } | undefined;
  #complaint = '';

  constructor(env: OpeningWatchEnv) {
    this.#env = env;
    this.look();
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  look(): void {
    const { path, log } = this.#env;
    try {
      const text = readOpeningText(path);
      if (text !== this.#text) this.#take(text);
      this.#complaint = '';
    } catch (error) {
      this.#close('its file cannot be used');
      const { message } = toStatusError(error);
      if (message !== this.#complaint) log.warning(`nothing is opened by ${path}: ${message}`);
      this.#complaint = message;
    }
    // A machine that slept wakes up later than its timers think.
    if (this.#current && timeLeft(this.#current.wanted) <= 0) this.#close('its time is over');
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #take(text: string): void {
    this.#text = text;
    this.#close(text === '' ? 'it was closed' : 'another opening takes its place');
    if (text === '') return;
    const wanted = parseOpeningText(text);
    const seconds = Math.ceil(timeLeft(wanted) / 1000);
    if (seconds <= 0) return;
    const opening = { network: wanted.network, seconds };
    this.#current = { opening, wanted };
    this.#env.openings.open(opening);
  }

  #close(why: string): void {
    if (this.#current) this.#env.openings.close(this.#current.opening, why);
    this.#current = undefined;
  }
}
