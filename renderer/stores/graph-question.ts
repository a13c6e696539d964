import { type StatusError, toStatusError } from '#proto/wire/status.ts';

interface QuestionEnv<T> {
  ask(): Promise<T>;
  answered(answer: T): void;
  failed(error: StatusError): void;
  /** Whether an answer is being waited for. */
  waiting(isWaiting: boolean): void;
  /** Milliseconds without another wish before it is asked. */
  readonly settled: number;
}

/** A question that is asked again and again, of which only the last answer counts. */
export class Question<T> {
  readonly #env: QuestionEnv<T>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(env: QuestionEnv<T>) {
    this.#env = env;
  }

  /** Asks once the wishes have settled. */
  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), this.#env.settled);
  }

  /** An answer that a later question has overtaken is dropped. */
  async now(): Promise<void> {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    this.#env.waiting(true);
    try {
      const answer = await this.#env.ask();
      if (asked === this.#asked) this.#env.answered(answer);
    } catch (error) {
      if (asked === this.#asked) this.#env.failed(toStatusError(error));
    } finally {
      if (asked === this.#asked) this.#env.waiting(false);
    }
  }

  /** Asks no more, and drops what is on its way. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#asked++;
  }
}
