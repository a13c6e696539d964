import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { type ErrorFrame, errorOf, type ResultFrame } from '#proto/ipc/frames.ts';
import { unavailable } from '#proto/wire/status.ts';
import type { CoreConnection, SharedCore } from '../app/shared-core.ts';

/** Arguments of a call; those that take nothing are called with the name alone. */
export type ArgumentOf<N extends CallName> = Calls[N]['argument'] extends null ? [] : [argument: Calls[N]['argument']];

interface Pending {
  resolve(value: ResultFrame['value']): void;
  reject(error: Error): void;
}

/** Calls and events of a program that speaks with the core itself, without a window. */
export class CoreCalls {
  readonly #codec = createFrameCodec();
  readonly #core: Pick<SharedCore, 'connect' | 'isRunning'>;
  readonly #connection: CoreConnection;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>();
  #closed: string | undefined;
  #lastId = 0;

  constructor(core: Pick<SharedCore, 'connect' | 'isRunning'>) {
    this.#core = core;
    this.#connection = core.connect((bytes) => this.#receive(bytes));
  }

  call<N extends CallName>(name: N, ...[argument]: ArgumentOf<N>): Promise<Calls[N]['result']> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(unavailable(this.#closed));
      if (!this.#core.isRunning) return reject(unavailable('The core of Lanflow does not run'));
      const id = ++this.#lastId;
      // The core answers a call with what the contract says of it.
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#connection.send(this.#codec.encode({ kind: 'call', id, name, argument: argument ?? null }));
    });
  }

  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  /** The core has ended: what was asked is never answered. */
  rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(unavailable(reason));
    this.#pending.clear();
  }

  /** For good. */
  close(reason: string): void {
    this.#closed = reason;
    this.rejectAll(reason);
    this.#connection.close();
  }

  #receive(bytes: Uint8Array): void {
    const frame = this.#codec.decode(bytes);
    if (frame.kind === 'event') {
      for (const listener of this.#listeners.get(frame.name) ?? []) listener(frame.payload as never);
    } else if (frame.kind !== 'call') this.#settle(frame);
  }

  #settle(frame: ResultFrame | ErrorFrame): void {
    const call = this.#pending.get(frame.id);
    this.#pending.delete(frame.id);
    if (frame.kind === 'result') call?.resolve(frame.value);
    else call?.reject(errorOf(frame));
  }
}
