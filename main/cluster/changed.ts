import { cancelled } from '#proto/wire/status.ts';

/** Lets one wait until something holds, looking again whenever something has changed. */
export class Changed {
  readonly #waiting = new Set<() => void>();

  tell(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves to the first value that `look` finds; rejects with what it throws, and with CANCELLED when the signal aborts. */
  until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void): void => {
        this.#waiting.delete(again);
        signal.removeEventListener('abort', abort);
        settled();
      };
      const abort = (): void => settle(() => reject(cancelled('The wait was cancelled', { cause: signal.reason })));
      const again = (): void => {
        try {
          const found = look();
          if (found !== undefined) settle(() => resolve(found));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      this.#waiting.add(again);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else again();
    });
  }
}
