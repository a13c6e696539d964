import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Code, type CodeName, deadlineExceeded, notFound, StatusError, unavailable } from '#proto/wire/status.ts';

export interface PrivateAgentOptions {
  /** The built agent program. */
  readonly program: string;
  readonly dataFolder: string;
  readonly log: (line: string) => void;
}

const START_LIMIT_MS = 10_000;
/** It kills its tasks before this time is over. */
const STOP_LIMIT_MS = 4300;

/**
 * An agent that this process has started, and that ends with it: the pipe to its stdin closes when this process ends, however it
 * ends. Other cores may use it too; then it goes on until the last of them is gone.
 */
export class PrivateAgent {
  readonly #child: ChildProcess;
  /** Resolves when it has ended, or goes on for others. */
  readonly #done: Promise<void>;

  readonly #lineListeners = new Set<(line: string) => void>();

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        for (const listener of this.#lineListeners) listener(line);
      });
    }
    this.#done = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
      this.#lineListeners.add((line) => line === 'kept' && resolve());
    });
  }

  /** Resolves when it can be found; rejects with the reason, in its own words, when it does not come up. */
  static async start({ program, dataFolder, log }: PrivateAgentOptions): Promise<PrivateAgent> {
    if (!existsSync(program)) throw notFound(`The agent program is not at ${program}; install Lanflow again, or build it`);
    // A group of its own: Ctrl-C in a terminal is for whoever started it, which then ends it in order.
    const child = spawn(process.execPath, [program, '--data', dataFolder, '--private'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    child.stdin?.on('error', () => undefined);
    const agent = new PrivateAgent(child);
    try {
      await agent.#comesUp(log);
      return agent;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Lets it go: it ends with all its tasks, unless others use it. Resolves when it has. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.#done;
    clearTimeout(timer);
  }

  #comesUp(log: (line: string) => void): Promise<void> {
    const child = this.#child;
    let last = '';
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        last = line;
        log(`agent: ${line}`);
      });
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(deadlineExceeded(`The agent did not come up within ${START_LIMIT_MS / 1000} s`)),
        START_LIMIT_MS,
      );
      const settle = (settled: () => void): void => {
        clearTimeout(timer);
        settled();
      };
      this.#lineListeners.add((line) => line.startsWith('ready ') && settle(resolve));
      child.once('error', (error) =>
        settle(() => reject(unavailable(`The agent could not be started: ${error.message}`, { cause: error }))),
      );
      // By then all that it said has been read.
      child.once('close', (code, signal) => settle(() => reject(startError(last, signal ?? `exit code ${code}`))));
    });
  }
}

/** The agent's own last line is `lanflow agent: CODE: what is wrong`. */
function startError(line: string, how: string): StatusError {
  const [, name = '', message] = /^lanflow agent: ([A-Z_]+): (.*)$/.exec(line) ?? [];
  if (message !== undefined && name in Code) return new StatusError(Code[name as CodeName], message);
  return unavailable(`The agent ended at once (${how}): ${line || 'it said nothing'}`);
}
