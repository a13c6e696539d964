import { cancelled } from '#proto/wire/status.ts';

/**
 * One call that several callers wait for. A caller whose signal aborts leaves with CANCELLED; the call itself is cancelled
 * when nobody waits for it any more.
 */
export class SharedCall<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;
  #settled = false;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#result = start(this.#controller.signal).finally(() => {
      this.#settled = true;
    });
    // Whoever waits gets the error; without anybody waiting it is no unhandled one.
    this.#result.catch(() => undefined);
  }

  cancel(reason: unknown): void {
    this.#controller.abort(reason);
  }

  async wait(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    try {
      return await (signal ? Promise.race([this.#result, rejectOnAbort(signal)]) : this.#result);
    } finally {
      this.#waiting--;
      if (this.#waiting === 0 && !this.#settled) this.cancel(signal?.reason);
    }
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(cancelled('The wait was cancelled by the caller', { cause: signal.reason }));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
