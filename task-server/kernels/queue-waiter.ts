/** A request that waits its turn: settled at once, or later through a promise; gone from its line when cancelled. */
export class Waiter<T> {
  #outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #stopListening: (() => void) | undefined;

  get settled(): boolean {
    return this.#outcome !== undefined;
  }

  finish(value: T): void {
    this.#outcome = { value };
    this.#stopListening?.();
    this.#resolve?.(value);
  }

  fail(error: unknown): void {
    this.#outcome = { error };
    this.#stopListening?.();
    this.#reject?.(error);
  }

  /** The outcome when there is one, else a promise of it; `cancel` is called when the signal comes first. */
  result(signal: AbortSignal, cancel: () => void): T | Promise<T> {
    const outcome = this.#outcome;
    if (outcome) {
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
    signal.addEventListener('abort', cancel);
    this.#stopListening = () => signal.removeEventListener('abort', cancel);
    return new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }
}
