import { setTimeout as delay } from 'node:timers/promises';

interface Waiting {
  pass(): void;
}

/** Where each step of a client must pass before it runs: one after another with a pause between, or held until told otherwise. */
export class StepGate {
  readonly #intervalMs: number;
  readonly #waiting = new Set<Waiting>();
  #isOpen = true;
  /** Steps that may pass though the gate is closed. */
  #permits = 0;
  #nextStart = 0;

  /** @param intervalMs least time from the start of one step to that of the next */
  constructor(intervalMs = 0) {
    this.#intervalMs = intervalMs;
  }

  close(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    this.#permits = 0;
    for (const { pass } of this.#waiting) pass();
    this.#waiting.clear();
  }

  /** One step may pass: the one that has waited longest, or the next one to come. Nothing when the gate is open. */
  permitOne(): void {
    if (this.#isOpen) return;
    const [first] = this.#waiting;
    if (first) {
      this.#waiting.delete(first);
      first.pass();
    } else {
      this.#permits++;
    }
  }

  /** Resolves when a step may run; rejects with the reason of the first signal that aborts. */
  async enter(...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
    for (const signal of signals) signal?.throwIfAborted();
    if (this.#isOpen && this.#intervalMs === 0) return;
    const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
    await this.#pace(signal);
    if (this.#isOpen) return;
    if (this.#permits > 0) this.#permits--;
    else await this.#hold(signal);
  }

  async #pace(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + this.#intervalMs;
    if (start > now) await delay(start - now, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  #hold(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        pass: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
