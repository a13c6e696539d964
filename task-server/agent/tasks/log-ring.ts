export interface LogLine {
  /** From 0 on, without gaps. */
  readonly number: number;
  /** Unix epoch in milliseconds. */
  readonly time: number;
  readonly text: string;
}

/** Lines that are kept of each task. */
export const KEPT_LINES = 5000;
/** A longer line is cut: nobody reads it, and it would fill the memory. */
const MAX_LENGTH = 10_000;

/** The last lines of a task. */
export class LogRing {
  readonly #kept: number;
  #lines: LogLine[] = [];
  #total = 0;

  constructor(kept: number = KEPT_LINES) {
    this.#kept = kept;
  }

  /** All lines there ever were. */
  get total(): number {
    return this.#total;
  }

  add(text: string, time: number): void {
    this.#lines.push({ number: this.#total, time, text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text });
    this.#total++;
    // Cut in blocks: moving all lines for each new one would be the main cost of a line.
    if (this.#lines.length >= this.#kept * 2) this.#lines = this.#lines.slice(-this.#kept);
  }

  /** Lines with this number and later ones, as far as they are kept. */
  from(number: number, most: number = this.#kept): readonly LogLine[] {
    const first = Math.max(number, this.#total - this.#kept, this.#lines[0]?.number ?? 0);
    const start = first - (this.#lines[0]?.number ?? 0);
    return this.#lines.slice(start, start + most);
  }
}
