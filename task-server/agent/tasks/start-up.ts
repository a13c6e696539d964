import { alreadyExists, type StatusError, unavailable } from '#proto/wire/status.ts';

const LAST_LINES = 5;
const READY = /^ready grpc:\/\/(\S+)/;

/** The `host:port` of which a line says that the task listens there; undefined when it is any other line. */
export function listensAt(line: string): string | undefined {
  return READY.exec(line)?.[1];
}

/** A task's process until it listens. */
export class StartUp {
  /** Resolves when it listens, to its `host:port`; rejects with the reason, in its own last words, when it does not. */
  readonly ready: Promise<string>;
  readonly #last: string[] = [];
  #resolve: (address: string) => void = () => undefined;
  #reject: (error: StatusError) => void = () => undefined;

  constructor() {
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever does not wait for it hears of the end all the same.
    this.ready.catch(() => undefined);
  }

  listens(address: string): void {
    this.#resolve(address);
  }

  hear(line: string): void {
    this.#last.push(line);
    if (this.#last.length > LAST_LINES) this.#last.shift();
  }

  /** The process is gone, as `how` says. */
  hasEnded(how: string): void {
    const said = this.#last.join(' | ') || 'it said nothing';
    const text = `its process ended at once (${how}): ${said}`;
    this.#reject(/already in use|address in use/i.test(said) ? alreadyExists(text) : unavailable(text));
  }

  /** There is no process at all. */
  hasFailed(error: Error): void {
    this.#reject(unavailable(`its process could not be started: ${error.message}`, { cause: error }));
  }
}
