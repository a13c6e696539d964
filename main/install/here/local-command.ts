import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { MachineCommand } from '../remote/machine-shell.ts';

/** A process that leads a group of its own. */
export class LocalCommand implements MachineCommand {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
  }

  once(event: 'exit' | 'close', listener: (status?: number | null) => void): void {
    this.#child.once(event, listener);
  }

  off(event: 'exit', listener: () => void): void {
    this.#child.off(event, listener);
  }

  signal(name: 'KILL'): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, `SIG${name}`);
    } catch (error) {
      // All of them have ended by themselves.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** As when a connection is closed: what it says is not heard any more, and nobody waits for it. */
  close(): void {
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
    this.#child.unref();
  }
}
