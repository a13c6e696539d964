import { toStatusError } from '#proto/wire/status.ts';
import type { ClientProcess } from './client-process.ts';
import type { Steer } from './protocol.ts';

/**
 * The user's hand on the clients of one run. Made by whoever starts the run and given to `runProgram`; may be used before, while and
 * after clients are there.
 */
export class Steering {
  readonly #clients = new Set<ClientProcess>();
  #isPaused = false;
  /** What was asked for before there was a client: each will hear of it. */
  #early: readonly Steer[] = [];

  /** For `runProgram`: a client that is about to run. */
  attach(client: ClientProcess): void {
    this.#clients.add(client);
    if (this.#isPaused) client.steer('pause');
    for (const steer of this.#early) client.steer(steer);
  }

  /** For `runProgram`: it runs no more. */
  detach(client: ClientProcess): void {
    this.#clients.delete(client);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Holds every client before its next step. */
  pause(): void {
    this.#isPaused = true;
    this.#steer('pause');
  }

  resume(): void {
    this.#isPaused = false;
    this.#early = this.#early.filter((steer) => steer !== 'step');
    this.#steer('resume');
  }

  /** One step of each client while they are held. */
  step(): void {
    this.#steerOrKeep('step');
  }

  /** Traces the next step of each client. */
  traceNext(): void {
    this.#steerOrKeep('trace');
  }

  /**
   * Gives all variables of the clients' sessions their initial values, each once, while no client takes a step. Resolves to their
   * number; rejects with the first error when that was possible for none.
   */
  async reinitialize(): Promise<number> {
    const done = new Set<string>();
    const errors: unknown[] = [];
    if (!this.#isPaused) this.#steer('pause');
    try {
      for (const client of this.#clients) {
        try {
          for (const key of await client.ask({ kind: 'reinitialize', done: [...done] })) done.add(key);
        } catch (error) {
          errors.push(error);
        }
      }
    } finally {
      if (!this.#isPaused) this.#steer('resume');
    }
    if (done.size === 0 && errors.length > 0) throw toStatusError(errors[0]);
    return done.size;
  }

  #steerOrKeep(steer: Steer): void {
    if (this.#clients.size === 0) this.#early = [...this.#early, steer];
    else this.#steer(steer);
  }

  #steer(steer: Steer): void {
    for (const client of this.#clients) client.steer(steer);
  }
}
