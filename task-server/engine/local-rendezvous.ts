import type { StatusError } from '#proto/wire/status.ts';
import type { Received, Rendezvous } from './rendezvous.ts';

interface Waiter {
  resolve(value: Received): void;
  reject(error: unknown): void;
}

/** The values of one step that meet within this process. Each key is a first-in first-out queue of values or of receivers. */
export class LocalRendezvous implements Rendezvous {
  readonly #values = new Map<string, Received[]>();
  readonly #waiters = new Map<string, Waiter[]>();
  #error: StatusError | undefined;

  /** No value is stored and nobody waits. */
  get isEmpty(): boolean {
    return this.#values.size === 0 && this.#waiters.size === 0;
  }

  /** Somebody waits for the next value under this key. */
  isAwaited(key: string): boolean {
    return this.#waiters.has(key);
  }

  get awaitedKeys(): string[] {
    return [...this.#waiters.keys()];
  }

  send(key: string, value: Received): void {
    if (this.#error) throw this.#error;
    const waiter = shift(this.#waiters, key);
    if (waiter) waiter.resolve(value);
    else push(this.#values, key, value);
  }

  /** A receiver whose signal is aborted leaves the queue, takes no value and rejects with the signal's reason. */
  recv(key: string, signal?: AbortSignal): Received | Promise<Received> {
    if (this.#error) return Promise.reject(this.#error);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return shift(this.#values, key) ?? this.#park(key, signal);
  }

  abort(error: StatusError): void {
    if (this.#error) return;
    this.#error = error;
    const parked = [...this.#waiters.values()].flat();
    this.#values.clear();
    this.#waiters.clear();
    for (const waiter of parked) waiter.reject(error);
  }

  #park(key: string, signal: AbortSignal | undefined): Promise<Received> {
    let leave = () => {};
    const arrival = new Promise<Received>((resolve, reject) => {
      const waiter = { resolve, reject };
      push(this.#waiters, key, waiter);
      leave = () => {
        remove(this.#waiters, key, waiter);
        reject(signal?.reason);
      };
    });
    if (!signal) return arrival;
    signal.addEventListener('abort', leave);
    return arrival.finally(() => signal.removeEventListener('abort', leave));
  }
}

function push<T>(queues: Map<string, T[]>, key: string, item: T): void {
  const queue = queues.get(key);
  if (queue) queue.push(item);
  else queues.set(key, [item]);
}

function shift<T>(queues: Map<string, T[]>, key: string): T | undefined {
  const queue = queues.get(key);
  const item = queue?.shift();
  if (queue?.length === 0) queues.delete(key);
  return item;
}

function remove<T>(queues: Map<string, T[]>, key: string, item: T): void {
  const rest = queues.get(key)?.filter((each) => each !== item) ?? [];
  if (rest.length > 0) queues.set(key, rest);
  else queues.delete(key);
}
