import type { StatusError } from '#proto/wire/status.ts';
import type { CallContext } from './unary-method.ts';

/** A call that a server is at work on. Its signal is made when somebody asks for it: most calls are over before. */
export class ServedCall implements CallContext {
  readonly #findConnection: (() => AbortSignal | undefined) | undefined;
  #controller: AbortController | undefined;
  #reason: StatusError | undefined;

  constructor(findConnection?: () => AbortSignal | undefined) {
    this.#findConnection = findConnection;
  }

  get connection(): AbortSignal | undefined {
    return this.#findConnection?.();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  abort(reason: StatusError): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
