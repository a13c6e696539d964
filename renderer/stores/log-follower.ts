import type { LogLine, LogPage } from '#proto/ipc/contract.ts';

interface LogSource {
  /** Lines from this number on, and how many there are in all. */
  fetch(from: number): Promise<LogPage>;
  publish(lines: readonly LogLine[]): void;
  /** Lines that are kept; of a longer log the last ones. */
  readonly kept: number;
}

/** Keeps a log complete, from pages that are fetched and lines that are heard: each once, in order, without gaps. */
export class LogFollower {
  readonly #source: LogSource;
  #lines: readonly LogLine[] = [];
  #next = 0;
  #loading = false;
  #missed = false;

  constructor(source: LogSource) {
    this.#source = source;
  }

  /** Lines after a gap are not shown before the gap is filled. */
  async hear(lines: readonly LogLine[]): Promise<void> {
    const first = lines[0]?.number ?? this.#next;
    this.#missed = this.#loading || first > this.#next;
    if (this.#missed) await this.load();
    else this.#append(lines);
  }

  /** Fetches what is missing, up to the end. */
  async load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      let more = true;
      while (more) {
        this.#missed = false;
        const { lines, total } = await this.#source.fetch(this.#next);
        const skip = total - this.#source.kept;
        if (skip > this.#next) this.#next = skip;
        else this.#append(lines);
        more = this.#missed || (this.#next < total && lines.length > 0);
      }
    } finally {
      this.#loading = false;
    }
  }

  #append(lines: readonly LogLine[]): void {
    const fresh = lines.filter(({ number }) => number >= this.#next);
    const last = fresh.at(-1);
    if (!last) return;
    this.#next = last.number + 1;
    this.#lines = [...this.#lines, ...fresh].slice(-this.#source.kept);
    this.#source.publish(this.#lines);
  }
}
