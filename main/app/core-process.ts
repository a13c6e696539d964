import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type Packet, PacketReader, packetHeader } from '#proto/ipc/pipe.ts';
import { toStatusError } from '#proto/wire/status.ts';

export interface CoreOptions {
  /** The Node that runs it. */
  readonly node: string;
  /** Its program. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Besides the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface CoreListener {
  onPacket(packet: Packet): void;
  /** Packets can be sent from now on. */
  onStarted(): void;
  /** It ended though nobody stopped it. `restarts`: another is being started. */
  onEnded(reason: string, restarts: boolean): void;
  /** What it says on stderr. */
  onStderr(text: Uint8Array): void;
}

/** A core that ends sooner than this after a restart would only end again: the user decides then. */
const STEADY_AFTER_MS = 60_000;
const STOP_MS = 5000;
/** Where the core finds its pipes. */
const FD_TO_CORE = 3;
const FD_FROM_CORE = 4;

/**
 * The core as a child process, tied to this one by a pair of pipes: when this process goes away, however it does, the core sees
 * its pipe close, stops its tasks and ends.
 */
export class CoreProcess {
  readonly #options: CoreOptions;
  readonly #listener: CoreListener;
  #child: ChildProcess | undefined;
  #toCore: Writable | undefined;
  #restartedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CoreOptions, listener: CoreListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get isRunning(): boolean {
    return this.#toCore !== undefined;
  }

  /** Does nothing when it runs already. */
  start(): void {
    if (this.#child) return;
    const { node, entry, args = [], env = {} } = this.#options;
    // A group of its own: Ctrl-C in a terminal is for the shell, which then stops the core in order.
    const child = spawn(node, [entry, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    child.stderr?.on('data', (text: Uint8Array) => this.#listener.onStderr(text));
    const errorSaid = collectError(child);
    // Neither pipe outlives the process, and its exit is what counts.
    for (const pipe of child.stdio.slice(FD_TO_CORE)) pipe?.on('error', () => child.kill());
    child.once('spawn', () => this.#begin(child));
    child.once('error', (error) => this.#end(child, `It cannot be run by ${node}: ${error.message}`));
    child.once('exit', (code, signal) => this.#end(child, errorSaid() || `It ended with ${signal ?? `exit code ${code}`}.`));
  }

  /** Dropped when no core runs. */
  send(packet: Packet): void {
    this.#toCore?.write(packetHeader(packet));
    if (packet.frame.length > 0) this.#toCore?.write(packet.frame);
  }

  /** Closes its pipe; resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#toCore = undefined;
    if (child?.pid === undefined) return;
    const ended = once(child, 'exit');
    (child.stdio[FD_TO_CORE] as Writable).end();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  #begin(child: ChildProcess): void {
    if (child !== this.#child) return;
    const reader = new PacketReader((packet) => this.#listener.onPacket(packet));
    (child.stdio[FD_FROM_CORE] as Readable).on('data', (chunk: Uint8Array) => {
      try {
        reader.push(chunk);
      } catch (error) {
        child.kill('SIGKILL');
        this.#end(child, toStatusError(error).message);
      }
    });
    this.#toCore = child.stdio[FD_TO_CORE] as Writable;
    this.#listener.onStarted();
  }

  #end(child: ChildProcess, reason: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#toCore = undefined;
    const restarts = performance.now() - this.#restartedAt > STEADY_AFTER_MS;
    this.#listener.onEnded(reason, restarts);
    if (!restarts) return;
    this.#restartedAt = performance.now();
    this.start();
  }
}

/** Finds the error in the last words of the core: it is why it ended. */
function collectError(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4000);
  });
  return () => tail.match(/^\S*Error\b.*: .*$/gm)?.at(-1) ?? '';
}
