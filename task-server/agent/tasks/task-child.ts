import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { alreadyExists, notFound, type StatusError, unavailable } from '#proto/wire/status.ts';

/** What a task's process is started with. */
export interface LaunchOptions {
  /** The built task program. */
  readonly program: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
  /** What the task says, whether as a log or as a result. */
  readonly onLine: (line: string) => void;
}

/** A task that is asked to end, and does not, is killed after this time. */
const STOP_MS = 4000;
const LAST_LINES = 5;
const LAST_WORDS_MS = 300;
const READY = /^ready grpc:\/\/(\S+)/;

/**
 * The process of a task. It ends with this process at the latest: the pipe to its stdin, which is never written to, closes then.
 */
export class TaskChild {
  /** Resolves when it listens, to its `host:port`; rejects with the reason when it ends before that. */
  readonly ready: Promise<string>;
  /** Resolves when it is gone, to how it ended: `exit code 0`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #isGone = false;

  private constructor(child: ChildProcess, onLine: (line: string) => void) {
    this.#child = child;
    const last: string[] = [];
    const hear = (line: string): void => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      onLine(line);
    };
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#isGone = true;
        resolve(how);
      };
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
      child.once('error', (error) => end(error.message));
    });
    this.ready = new Promise((resolve, reject) => {
      const { stdout, stderr } = child;
      if (stderr) createInterface({ input: stderr }).on('line', hear);
      if (stdout) {
        createInterface({ input: stdout }).on('line', (line) => {
          const address = READY.exec(line)?.[1];
          if (address === undefined) hear(line);
          else resolve(address);
        });
      }
      const fail = (how: string): void => reject(startError(how, last));
      // By then all that it said has been read; but a process of its own may keep the pipes open.
      child.once('close', (code, signal) => fail(signal ?? `exit code ${code}`));
      child.once('exit', (code, signal) => setTimeout(fail, LAST_WORDS_MS, signal ?? `exit code ${code}`));
      child.once('error', (error) => reject(unavailable(`its process could not be started: ${error.message}`, { cause: error })));
    });
    // Whoever does not wait for it hears of the end all the same.
    this.ready.catch(() => undefined);
    child.stdin?.on('error', () => undefined);
  }

  /** NOT_FOUND when the program is not there. */
  static launch({ program, variables, args, onLine }: LaunchOptions): TaskChild {
    if (!existsSync(program)) {
      throw notFound(`The task program is not at ${program}; install Lanflow on this machine again, or name it with LANFLOW_TASK_SERVER`);
    }
    const child = spawn(process.execPath, [program, ...args, '--parent-pipe'], {
      env: { ...variables },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    return new TaskChild(child, onLine);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Pauses (SIGSTOP), continues (SIGCONT) or kills (SIGKILL) it; without effect on one that is gone. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    if (this.#isGone) return;
    this.#child.kill(signal);
  }

  /** Asks it to end; resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.#isGone) return;
    // A process that stands still would not hear the request to end.
    if (process.platform !== 'win32') this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

function startError(how: string, last: readonly string[]): StatusError {
  const said = last.join(' | ') || 'it said nothing';
  const text = `its process ended at once (${how}): ${said}`;
  return /already in use|address in use/i.test(said) ? alreadyExists(text) : unavailable(text);
}
