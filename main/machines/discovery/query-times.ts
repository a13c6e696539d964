/** Milliseconds after the start; then every minute less what keeps it from falling on the expiry of records. */
const FIRST = [0, 1000, 3000, 9000, 27_000];
const EVERY_MS = 50_000;

/** When to ask on one link. */
export class QueryTimes {
  readonly #startedAt: number;
  #asked = 0;

  constructor(now: number) {
    this.#startedAt = now;
  }

  /** True once for each time that has come; those that were missed count as one. */
  isDue(now: number): boolean {
    const isDue = now >= this.#startedAt + dueAfter(this.#asked);
    while (now >= this.#startedAt + dueAfter(this.#asked)) this.#asked++;
    return isDue;
  }
}

function dueAfter(asked: number): number {
  const first = FIRST[asked];
  return first ?? (FIRST.at(-1) ?? 0) + (asked - FIRST.length + 1) * EVERY_MS;
}
