import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { type ErrorFrame, type EventFrame, errorOf, type Frame, type ResultFrame } from '#proto/ipc/frames.ts';
import { unavailable } from '#proto/wire/status.ts';
import type { Loss, Transport } from './transport.ts';

export type ConnectionState = { readonly kind: 'connecting' | 'connected' } | ({ readonly kind: 'lost' } & Loss);

/** Arguments of a call; those that take nothing are called with the name alone. */
type ArgumentOf<N extends CallName> = Calls[N]['argument'] extends null ? [] : [argument: Calls[N]['argument']];

/** The core as a window sees it. */
export interface Core {
  /** Rejects with the StatusError of the core, or UNAVAILABLE when the connection is lost before the answer. */
  call<N extends CallName>(name: N, ...argument: ArgumentOf<N>): Promise<Calls[N]['result']>;
  /** Hears all events of that name until the returned function is called. */
  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void;
  /** Hears of the state now and of every change. Events may have been missed before each `connected`: ask for everything again. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Starts a core that has ended and does not come back by itself. */
  restart(): Promise<void>;
}

interface Pending {
  resolve(value: ResultFrame['value']): void;
  reject(error: Error): void;
}

const lost = () => unavailable('The connection to the core was lost before it answered. It is being restored; try again then.');

/** Speaks with the core through a transport, which it opens at once. */
export function connectCore(transport: Transport): Core {
  const codec = createFrameCodec();
  const pending = new Map<number, Pending>();
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  const stateListeners = new Set<(state: ConnectionState) => void>();
  const waiting: Uint8Array[] = [];
  let state: ConnectionState = { kind: 'connecting' };
  let lastId = 0;

  const setState = (next: ConnectionState) => {
    state = next;
    for (const listener of stateListeners) listener(next);
  };
  const settle = (frame: ResultFrame | ErrorFrame) => {
    const call = pending.get(frame.id);
    pending.delete(frame.id);
    if (frame.kind === 'result') call?.resolve(frame.value);
    else call?.reject(errorOf(frame));
  };
  const announce = ({ name, payload }: EventFrame) => {
    for (const listener of listeners.get(name) ?? []) listener(payload as never);
  };
  const receive = (frame: Frame) => {
    if (frame.kind === 'event') announce(frame);
    else if (frame.kind !== 'call') settle(frame);
  };

  transport.open({
    onFrame: (bytes) => receive(codec.decode(bytes)),
    onConnected: () => {
      for (const frame of waiting.splice(0)) transport.send(frame);
      setState({ kind: 'connected' });
    },
    onLost: (loss) => {
      for (const { reject } of pending.values()) reject(lost());
      pending.clear();
      setState({ kind: 'lost', ...loss });
    },
  });

  return {
    call: <N extends CallName>(name: N, ...argument: ArgumentOf<N>) =>
      new Promise<Calls[N]['result']>((resolve, reject) => {
        if (state.kind === 'lost') {
          reject(lost());
          return;
        }
        const id = ++lastId;
        pending.set(id, { resolve: resolve as Pending['resolve'], reject });
        const frame = codec.encode({ kind: 'call', id, name, argument: argument[0] ?? null });
        if (state.kind === 'connected') transport.send(frame);
        else waiting.push(frame);
      }),
    on: (name, listener) => {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener);
      return () => set.delete(listener);
    },
    onState: (listener) => {
      stateListeners.add(listener);
      listener(state);
      return () => stateListeners.delete(listener);
    },
    restart: () => transport.restart(),
  };
}
