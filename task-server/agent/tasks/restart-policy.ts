/** A task that ran for so long was well: it is restarted as if it had never ended before. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** How long to wait before a task that ended is started again: longer each time that it ends soon. */
export class RestartPolicy {
  #failures = 0;

  /** Milliseconds, for a task that has just ended after having run for `ranMs`. */
  nextPause(ranMs: number): number {
    this.#failures = ranMs >= STEADY_MS ? 1 : this.#failures + 1;
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
  }

  /** Somebody has started it by hand. */
  reset(): void {
    this.#failures = 0;
  }
}
