import { type ChildProcess, fork } from 'node:child_process';
import type { FromServer, Request } from './protocol.ts';

export type Answered = Exclude<FromServer, { readonly kind: 'ready' }>;

/** Why no message comes: the process has ended, or it says nothing in time. */
export interface Lost {
  readonly kind: 'ended' | 'silent';
  /** As the rest of a sentence. */
  readonly reason: string;
}

/** TypeScript with all declarations needs a tenth of it; a program that makes it need more is stopped before the machine suffers. */
const MEMORY_MB = 1024;

/** One process of the language server. Its owner calls `end`; one whose owner is gone ends by itself. */
export class LanguageProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<Lost>;
  readonly #ready: Promise<FromServer | Lost>;

  constructor(entry: string, log: (line: string) => void) {
    this.#child = fork(entry, [], {
      execArgv: [`--max-old-space-size=${MEMORY_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => log(`language server: ${text.trimEnd()}`));
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', ({ message }) => resolve({ kind: 'ended', reason: `could not be started: ${message}` }));
      this.#child.once('exit', (code, signal) => resolve({ kind: 'ended', reason: `ended with ${signal ?? `exit code ${code}`}` }));
    });
    this.#ready = this.#message();
  }

  /** Undefined as soon as it can be asked. */
  async start(limit: number): Promise<Lost | undefined> {
    const first = await within(limit, this.#ready, 'did not start');
    return 'reason' in first ? first : undefined;
  }

  async ask(request: Request, limit: number): Promise<Answered | Lost> {
    const answer = this.#message();
    // A failure to send is seen as the end of the process.
    this.#child.send(request, () => {});
    const message = await within(limit, answer, 'did not answer');
    return message.kind === 'ready' ? { kind: 'ended', reason: 'started twice' } : message;
  }

  /** Resolves when it is gone. */
  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** The next message. */
  #message(): Promise<FromServer | Lost> {
    const message = new Promise<FromServer>((resolve) => this.#child.once('message', (value: FromServer) => resolve(value)));
    return Promise.race([message, this.#exited]);
  }
}

async function within<T>(limit: number, outcome: Promise<T>, what: string): Promise<T | Lost> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Lost>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'silent', reason: `${what} within ${limit / 1000} s` }), limit);
  });
  const first = await Promise.race([outcome, silence]);
  clearTimeout(timer);
  return first;
}
