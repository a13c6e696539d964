import { argumentShapes } from '#proto/ipc/arguments.ts';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { CallName, EventName, Events } from '#proto/ipc/contract.ts';
import { type CallFrame, errorFrame, type Frame } from '#proto/ipc/frames.ts';
import { Code, toStatusError, unimplemented } from '#proto/wire/status.ts';
import type { Handlers } from './handler.ts';
import { Outbox } from './outbox.ts';

/** The way to one window. */
export interface WindowLink {
  send(frame: Uint8Array): void;
  /** What was sent has not gone out yet; `drained` is called when it has. */
  readonly isBusy: boolean;
}

/** One window, as the owner of its link drives it. */
export interface WindowConnection {
  receive(frame: Uint8Array): void;
  drained(): void;
  close(): void;
}

export interface ChannelEnv {
  readonly handlers: Handlers;
  readonly log: (line: string) => void;
}

/** Events go out at most 20 times a second. */
const EVENTS_MS = 50;

/**
 * Frames between the core and its windows: calls to handlers, results and errors back, events to all. An answer comes after all
 * events that were told before it was made: a window that hears of samples after the answer knows that the answer lacks them.
 */
export class Channel {
  readonly #env: ChannelEnv;
  readonly #codec = createFrameCodec();
  readonly #windows = new Set<Window>();

  constructor(env: ChannelEnv) {
    this.#env = env;
  }

  open(link: WindowLink): WindowConnection {
    const send = (frame: Frame): void => link.send(this.#codec.encode(frame));
    const window = new Window(link, send);
    this.#windows.add(window);
    return {
      receive: (bytes) => this.#receive(bytes, window),
      drained: () => window.flushSoon(),
      close: () => {
        this.#windows.delete(window);
        window.close();
      },
    };
  }

  emit<N extends EventName>(name: N, payload: Events[N]): void {
    for (const window of this.#windows) window.put(name, payload);
  }

  #receive(bytes: Uint8Array, window: Window): void {
    try {
      const frame = this.#codec.decode(bytes);
      if (frame.kind === 'call') void this.#answer(frame, window);
    } catch (error) {
      this.#env.log(`A window sent what is no frame: ${toStatusError(error).message}`);
    }
  }

  async #answer({ id, name, argument }: CallFrame, window: Window): Promise<void> {
    try {
      window.answer({ kind: 'result', id, value: await this.#call(name, argument) });
    } catch (error) {
      if (toStatusError(error).code === Code.INTERNAL) this.#env.log(`${name} failed: ${error instanceof Error ? error.stack : error}`);
      window.answer(errorFrame(id, error));
    }
  }

  #call(name: string, argument: unknown) {
    const { handlers } = this.#env;
    if (!isCallName(name, handlers)) throw unimplemented(`There is no call '${name}'; reload the window`);
    // Shape and handler of one name belong together, which TypeScript cannot follow through a union.
    const handler = handlers[name] as (checked: unknown) => ReturnType<Handlers[CallName]>;
    return handler(argumentShapes[name](argument, name));
  }
}

function isCallName(name: string, handlers: Handlers): name is CallName {
  return Object.hasOwn(handlers, name);
}

class Window {
  readonly #link: WindowLink;
  readonly #send: (frame: Frame) => void;
  readonly #outbox = new Outbox();
  #timer: NodeJS.Timeout | undefined;
  #lastFlush = 0;
  #isOpen = true;

  constructor(link: WindowLink, send: (frame: Frame) => void) {
    this.#link = link;
    this.#send = send;
  }

  put<N extends EventName>(name: N, payload: Events[N]): void {
    this.#outbox.put(name, payload);
    this.flushSoon();
  }

  answer(frame: Frame): void {
    if (!this.#isOpen) return;
    this.#flush();
    this.#send(frame);
  }

  flushSoon(): void {
    if (this.#link.isBusy || this.#outbox.isEmpty) return;
    const wait = Math.max(0, this.#lastFlush + EVENTS_MS - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#link.isBusy) this.#flush();
    }, wait);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastFlush = performance.now();
    for (const frame of this.#outbox.take()) this.#send(frame);
  }
}
