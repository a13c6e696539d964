import type { SourceProblem } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';

export interface CheckState {
  readonly problems: readonly SourceProblem[];
  readonly isChecking: boolean;
  /** Why it cannot be checked. */
  readonly error?: StatusError;
}

interface CheckEnv {
  check(source: string): Promise<readonly SourceProblem[]>;
  publish(state: CheckState): void;
}

/** A pause in typing after which a text is worth a check. */
const CHECK_AFTER = 350;

/** Has a text checked as it changes: one check at a time, and always the newest text in the end. */
export class CheckFollower {
  readonly #env: CheckEnv;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted: string | undefined;
  #isChecking = false;
  #problems: readonly SourceProblem[] = [];

  constructor(env: CheckEnv) {
    this.#env = env;
  }

  follow(source: string): void {
    this.#wanted = source;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), CHECK_AFTER);
  }

  dispose(): void {
    this.#wanted = undefined;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#wanted !== undefined) {
      const source = this.#wanted;
      this.#wanted = undefined;
      this.#env.publish({ problems: this.#problems, isChecking: true });
      await this.#checkOnce(source);
    }
    this.#isChecking = false;
  }

  async #checkOnce(source: string): Promise<void> {
    try {
      this.#problems = await this.#env.check(source);
      this.#env.publish({ problems: this.#problems, isChecking: false });
    } catch (error) {
      this.#problems = [];
      this.#env.publish({ problems: [], isChecking: false, error: toStatusError(error) });
    }
  }
}
