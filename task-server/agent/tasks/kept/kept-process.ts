import { type ChildProcess, spawn } from 'node:child_process';
import { StartUp } from '../start-up.ts';
import { endInOrder, type Launch, type ProcessSignal, type TaskProcess } from '../task-process.ts';
import { isThere, markOf, type ProcessMark } from './process-mark.ts';

/** It waits for a word before it becomes the program: a process whose agent ends before there is a record of it ends too. */
const WAIT_AND_RUN = 'read -r word && exec "$@" </dev/null';
/** How often it is looked whether a process is there that is no child of this one. */
const EVERY_MS = 250;

export interface LaunchOptions extends Launch {
  /** File descriptor of the task's log. */
  readonly output: number;
  /** Resolves when what it says last has been heard. */
  readonly drain: () => Promise<void>;
}

export interface AdoptOptions {
  readonly mark: ProcessMark;
  /** `host:port` where it listens; empty: not yet. */
  readonly address: string;
  readonly drain: () => Promise<void>;
}

/** The process of a task that goes on when the agent ends: a child of this one, or of an agent before it. */
export class KeptProcess implements TaskProcess {
  readonly mark: ProcessMark;
  readonly startUp = new StartUp();
  readonly ended: Promise<string>;
  readonly #send: (signal: ProcessSignal) => void;
  #isGone = false;
  #stopLooking: () => void = () => undefined;

  private constructor(mark: ProcessMark, how: { readonly ended: Promise<string>; readonly send: (signal: ProcessSignal) => void }) {
    this.mark = mark;
    this.#send = how.send;
    this.ended = how.ended;
    void this.ended.then((word) => {
      this.#isGone = true;
      this.startUp.hasEnded(word);
    });
  }

  /** In a session of its own. `begin` lets it become the program. */
  static launch({ command, variables, output, drain }: LaunchOptions): { readonly process: KeptProcess; readonly begin: () => void } {
    const child = spawn('/bin/sh', ['-c', WAIT_AND_RUN, 'sh', process.execPath, ...command], {
      env: { ...variables },
      stdio: ['pipe', output, output],
      detached: true,
    });
    child.stdin?.on('error', () => undefined);
    const kept = new KeptProcess(markOf(child.pid ?? 0), {
      ended: endOf(child).then((how) => drain().then(() => how)),
      send: (signal) => child.kill(signal),
    });
    child.once('error', (error) => kept.startUp.hasFailed(error));
    return { process: kept, begin: () => child.stdin?.end('begin\n') };
  }

  /** One that an agent before this one has started. */
  static adopt({ mark, address, drain }: AdoptOptions): KeptProcess {
    const looking = new AbortController();
    const kept = new KeptProcess(mark, {
      ended: gone(mark, looking.signal).then(() => drain().then(() => 'nobody saw how')),
      send: (signal) => sendTo(mark, signal),
    });
    kept.#stopLooking = () => looking.abort();
    if (address !== '') kept.startUp.listens(address);
    return kept;
  }

  get pid(): number {
    return this.mark.pid;
  }

  get ready(): Promise<string> {
    return this.startUp.ready;
  }

  signal(signal: ProcessSignal): void {
    if (!this.#isGone) this.#send(signal);
  }

  async stop(): Promise<void> {
    if (this.#isGone) return;
    await endInOrder({ ended: this.ended, signal: (name) => this.signal(name) });
  }

  /** This agent ends, and the process goes on. */
  leave(): void {
    this.#stopLooking();
  }
}

function sendTo(mark: ProcessMark, signal: ProcessSignal): void {
  if (!isThere(mark)) return;
  try {
    process.kill(mark.pid, signal);
  } catch (error) {
    // It has ended in this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
}

/** Resolves when it is gone; never once the signal has aborted. */
function gone(mark: ProcessMark, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isThere(mark)) return;
      clearInterval(timer);
      resolve();
    }, EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}
