import type { Completions, SourceProblem } from '#proto/ipc/contract.ts';
import { cancelled, deadlineExceeded, internal, type StatusError, unavailable } from '#proto/wire/status.ts';
import { type Answered, LanguageProcess, type Lost } from './language-process.ts';
import type { Answers, Request } from './protocol.ts';

export interface LanguageServiceEnv {
  /** The built language server. */
  readonly entry: string;
  readonly log: (line: string) => void;
  readonly limits?: Partial<Limits>;
}

interface Limits {
  /** Milliseconds until the server has loaded TypeScript, until it has answered, and without a request until it is ended. */
  readonly start: number;
  readonly answer: number;
  readonly idle: number;
}

interface Waiting {
  readonly request: Request;
  resolve(value: Answers[keyof Answers]): void;
  reject(error: StatusError): void;
}

const defaults: Limits = { start: 30_000, answer: 5000, idle: 300_000 };

/**
 * Knows what is wrong with a program's source and what may be typed in it. The work is done by a process of its own, which is
 * started for the first request, ended when nobody has asked for a while, and started anew after a crash or when it does not answer.
 */
export class LanguageService {
  readonly #env: LanguageServiceEnv;
  readonly #limits: Limits;
  readonly #waiting: Waiting[] = [];
  #process: LanguageProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isWorking = false;
  #isClosed = false;

  constructor(env: LanguageServiceEnv) {
    this.#env = env;
    this.#limits = { ...defaults, ...env.limits };
  }

  /** `file` is where the program lies, with its ending; `source` may be newer than what is there. */
  check(file: string, source: string): Promise<readonly SourceProblem[]> {
    return this.#ask({ kind: 'check', file, source });
  }

  /** `offset` in UTF-16 units. */
  complete(file: string, source: string, offset: number): Promise<Completions> {
    return this.#ask({ kind: 'complete', file, source, offset });
  }

  /** Ends the process; whoever still waits gets CANCELLED. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await this.#end();
  }

  #ask<R extends Request>(request: R): Promise<Answers[R['kind']]> {
    if (this.#isClosed) return Promise.reject(closed());
    const answer = new Promise<Answers[keyof Answers]>((resolve, reject) => {
      const waiting = { request, resolve, reject };
      // Somebody is typing: completions go before checks.
      const at = request.kind === 'complete' ? this.#waiting.findIndex(({ request: { kind } }) => kind === 'check') : -1;
      this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, waiting);
    });
    void this.#work();
    // The server answers each request with what belongs to its kind, which TypeScript cannot follow through a union.
    return answer as Promise<Answers[R['kind']]>;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#idle);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        next.resolve(await this.#answer(next.request));
      } catch (error) {
        next.reject(error as StatusError);
      }
    }
    this.#isWorking = false;
    this.#idle = setTimeout(() => void this.#end(), this.#limits.idle).unref();
  }

  /** A server that crashes is started anew once: the request need not be what it died of. */
  async #answer(request: Request): Promise<Answers[keyof Answers]> {
    const first = await this.#tryToAnswer(request);
    const outcome = first.kind === 'ended' && !this.#isClosed ? await this.#tryToAnswer(request) : first;
    if (outcome.kind === 'result') return outcome.value;
    if (this.#isClosed) throw closed();
    if (outcome.kind === 'failure') throw internal(`The program cannot be checked: ${outcome.message}`);
    this.#env.log(`The language server ${outcome.reason}`);
    const text = `The language server ${outcome.reason}; the next change starts it again`;
    throw outcome.kind === 'ended' ? unavailable(text) : deadlineExceeded(text);
  }

  async #tryToAnswer(request: Request): Promise<Answered | Lost> {
    this.#process ??= new LanguageProcess(this.#env.entry, this.#env.log);
    const running = this.#process;
    const outcome = (await running.start(this.#limits.start)) ?? (await running.ask(request, this.#limits.answer));
    if (outcome.kind === 'ended' || outcome.kind === 'silent') await this.#end(running);
    return outcome;
  }

  async #end(running = this.#process): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#process === running) this.#process = undefined;
    await running?.end();
  }
}

const closed = (): StatusError => cancelled('The core is ending');
