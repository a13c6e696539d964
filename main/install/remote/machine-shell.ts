import type { Readable, Writable } from 'node:stream';

/** A command that runs on a machine. Who has started it reads both of its outputs. */
export interface MachineCommand {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * `exit`: it has ended; its exit status, null when a signal has ended it. Lacks where the connection breaks off. `close`: nothing more
   * comes of it; with the same status where that is known.
   */
  once(event: 'exit' | 'close', listener: (status?: number | null) => void): unknown;
  off(event: 'exit', listener: () => void): unknown;
  /** To the command and all that it has started. */
  signal(name: 'KILL'): void;
  /** Lets go of it; it may go on. */
  close(): void;
}

/** A user's way to run commands on a machine that has a shell of Unix: by SSH, or on this machine itself. */
export interface MachineShell {
  /** Of the machine, as its user calls it. */
  readonly name: string;
  /** Whose commands they are. */
  readonly user: string;
  /** No more commands can be run. */
  readonly isLost: boolean;
  /** Starts a command line. Rejects with what `lost` says. */
  exec(command: string): Promise<MachineCommand>;
  /** Why commands cannot be run any more. */
  lost(cause?: unknown): Error;
}
