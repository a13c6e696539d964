import { setTimeout as delay } from 'node:timers/promises';

/** What happens to a process from outside: it is paused, goes on, is asked to end, or killed. */
export type ProcessSignal = 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL';

/** What a task's process is started with. */
export interface Launch {
  /** The built task program, and its flags. */
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The process of a task, whoever has started it. */
export interface TaskProcess {
  readonly pid: number;
  /** Resolves when it listens, to its `host:port`; rejects with the reason when it ends before that. */
  readonly ready: Promise<string>;
  /** Resolves when it is gone and all that it said has been heard, to how it ended: `exit code 0`, `SIGKILL`. */
  readonly ended: Promise<string>;
  /** Without effect on one that is gone. */
  signal(signal: ProcessSignal): void;
  /** Asks it to end; resolves when it is gone. */
  stop(): Promise<void>;
}

/** A task that is asked to end, and does not, is killed after this time. */
const STOP_MS = 4000;

/** What `stop` of every process does. */
export async function endInOrder({ ended, signal }: { ended: Promise<unknown>; signal: (name: ProcessSignal) => void }): Promise<void> {
  // A process that stands still would not hear the request to end.
  if (process.platform !== 'win32') signal('SIGCONT');
  signal('SIGTERM');
  const hasEnded = new AbortController();
  const killing = delay(STOP_MS, undefined, { signal: hasEnded.signal }).then(
    () => signal('SIGKILL'),
    () => undefined,
  );
  await ended;
  hasEnded.abort();
  await killing;
}
