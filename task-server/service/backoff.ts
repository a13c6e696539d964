import { Code, type StatusError, toStatusError } from '#proto/wire/status.ts';

const FIRST_PAUSE_MS = 500;
/** A task that comes up late is found within this time, and a dead one costs ten tries a minute at first, six later. */
const LONGEST_PAUSE_MS = 10_000;
const GROWTH = 2;

/** Pause before try number `failures` + 1. */
export function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * GROWTH ** (failures - 1), LONGEST_PAUSE_MS);
}

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears the reason of each failed try. */
  readonly onWait?: ((reason: StatusError) => void) | undefined;
}

/** Tries until the outcome is another one than UNAVAILABLE, with growing pauses; ends early only by the signal. */
export async function retryUnavailable<T>(attempt: () => Promise<T>, { signal, onWait }: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const reason = toStatusError(error);
      if (reason.code !== Code.UNAVAILABLE) throw reason;
      onWait?.(reason);
      await pause(pauseMs(failures), signal);
    }
  }
}

/** Rejects with the signal's reason. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
