import { cancelled, StatusError } from '#proto/wire/status.ts';

/** The steps of a session that run now, each of which can be cancelled by its client or with the whole session. */
export class RunningSteps {
  readonly #steps = new Set<AbortController>();
  #whenIdle: (() => void) | undefined;

  /** Runs one step. `signal` is the client's. */
  async run<T>(signal: AbortSignal | undefined, step: (cancellation: AbortController) => Promise<T>): Promise<T> {
    const cancellation = new AbortController();
    const cancel = () => cancellation.abort(reasonOf(signal));
    this.#steps.add(cancellation);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    try {
      return await step(cancellation);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#steps.delete(cancellation);
      if (this.#steps.size === 0) this.#whenIdle?.();
    }
  }

  cancelAll(reason: StatusError): void {
    for (const cancellation of this.#steps) cancellation.abort(reason);
  }

  /** Resolves once no step runs. To be used by one caller, when no new steps start. */
  async idle(): Promise<void> {
    if (this.#steps.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }
}

function reasonOf(signal: AbortSignal | undefined): StatusError {
  return signal?.reason instanceof StatusError ? signal.reason : cancelled('Step was cancelled by the client', { cause: signal?.reason });
}
