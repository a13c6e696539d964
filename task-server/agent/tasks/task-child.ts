import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { listensAt, StartUp } from './start-up.ts';
import { endInOrder, type Launch, type ProcessSignal, type TaskProcess } from './task-process.ts';

const LAST_WORDS_MS = 300;

/**
 * The process of a task that ends with this process at the latest: the pipe to its stdin, which is never written to, closes then.
 */
export class TaskChild implements TaskProcess {
  readonly ready: Promise<string>;
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #isGone = false;

  constructor({ command, variables }: Launch, onLine: (line: string) => void) {
    const child = spawn(process.execPath, [...command, '--parent-pipe'], {
      env: { ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    const startUp = new StartUp();
    this.ready = startUp.ready;
    const hear = (line: string): void => {
      startUp.hear(line);
      onLine(line);
    };
    createInterface({ input: child.stderr }).on('line', hear);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = listensAt(line);
      if (address === undefined) hear(line);
      else startUp.listens(address);
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#isGone = true;
        resolve(how);
      };
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
      child.once('error', (error) => end(error.message));
    });
    const fail = (how: string): void => startUp.hasEnded(how);
    // By then all that it said has been read; but a process of its own may keep the pipes open.
    child.once('close', (code, signal) => fail(signal ?? `exit code ${code}`));
    child.once('exit', (code, signal) => setTimeout(fail, LAST_WORDS_MS, signal ?? `exit code ${code}`));
    child.once('error', (error) => startUp.hasFailed(error));
    child.stdin.on('error', () => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(signal: ProcessSignal): void {
    if (this.#isGone) return;
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.#isGone) return;
    await endInOrder({ ended: this.ended, signal: (name) => this.signal(name) });
  }
}
