import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { errorOf, type Frame } from '#proto/ipc/frames.ts';
import { PacketReader, packetHeader } from '#proto/ipc/pipe.ts';

const entry = fileURLToPath(new URL('../../../dist/core/index.js', import.meta.url));

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A core process and one window of it, as a shell would have them. */
export class CoreClient {
  readonly #child: ChildProcess;
  readonly #toCore: Writable;
  readonly #codec = createFrameCodec();
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>();
  #lastId = 0;

  constructor(dataFolder: string, program = entry) {
    const env = { ...process.env, LANFLOW_DATA: dataFolder };
    this.#child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'pipe', 'pipe', 'pipe'], env });
    this.#toCore = this.#child.stdio[3] as Writable;
    const reader = new PacketReader(({ frame }) => this.#receive(this.#codec.decode(frame)));
    (this.#child.stdio[4] as Readable).on('data', (chunk: Uint8Array) => reader.push(chunk));
    this.#child.once('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the core has ended'));
    });
    this.#toCore.on('error', () => {});
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  call<N extends CallName>(name: N, argument: Calls[N]['argument']): Promise<Calls[N]['result']> {
    const id = ++this.#lastId;
    const frame = this.#codec.encode({ kind: 'call', id, name, argument });
    this.#toCore.write(packetHeader({ window: 1, frame }));
    this.#toCore.write(frame);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject }));
  }

  /** Hears all events of that name until the returned function is called. */
  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** The first payload for which `holds`. */
  when<N extends EventName>(name: N, holds: (payload: Events[N]) => boolean): Promise<Events[N]> {
    return new Promise((resolve) => {
      const stop = this.on(name, (payload) => {
        if (!holds(payload)) return;
        stop();
        resolve(payload);
      });
    });
  }

  /** Closes the pipe, as a shell that goes away does; resolves when the core has ended. */
  async leave(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, 'exit') as Promise<[number | null]>;
    this.#toCore.end();
    return (await exited)[0];
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #receive(frame: Frame): void {
    if (frame.kind === 'event') {
      for (const listener of this.#listeners.get(frame.name) ?? []) listener(frame.payload as never);
    } else if (frame.kind !== 'call') {
      const pending = this.#pending.get(frame.id);
      this.#pending.delete(frame.id);
      if (frame.kind === 'result') pending?.resolve(frame.value);
      else pending?.reject(errorOf(frame));
    }
  }
}
