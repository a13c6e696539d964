import { type CoreListener, type CoreOptions, CoreProcess } from './core-process.ts';

/** The way of one page, or one program, to the core and back. */
export interface CoreConnection {
  /** Dropped while no core runs. */
  send(frame: Uint8Array): void;
  /** The core forgets it; no frame comes any more. */
  close(): void;
}

/** One core and all who speak with it at the same time. Each connection is a window of its own for the core. */
export class SharedCore {
  readonly #process: CoreProcess;
  readonly #receivers = new Map<number, (frame: Uint8Array) => void>();
  #lastNumber = 0;

  constructor(options: CoreOptions, listener: Omit<CoreListener, 'onPacket'>) {
    this.#process = new CoreProcess(options, {
      ...listener,
      // Frames for who has left are dropped.
      onPacket: ({ window, frame }) => this.#receivers.get(window)?.(frame),
    });
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Does nothing when it runs already. */
  start(): void {
    this.#process.start();
  }

  /** Resolves when it has ended, and its tasks with it. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  connect(onFrame: (frame: Uint8Array) => void): CoreConnection {
    const window = ++this.#lastNumber;
    this.#receivers.set(window, onFrame);
    return {
      send: (frame) => this.#process.send({ window, frame }),
      close: () => {
        if (this.#receivers.delete(window)) this.#process.send({ window, frame: new Uint8Array() });
      },
    };
  }
}
