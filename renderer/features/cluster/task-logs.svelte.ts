import type { LogLine, LogPage } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import { LogFollower } from '../../stores/log-follower.ts';

/** As many as the agent keeps. */
const KEPT = 5000;
const EVERY = 500;

type Fetch = (from: number) => Promise<LogPage>;

/** What one task says, from the last lines that its agent has on. */
export class TaskLogs {
  lines = $state.raw<readonly LogLine[]>([]);
  error = $state.raw<StatusError | undefined>(undefined);
  readonly #fetch: Fetch;
  #follower: LogFollower;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
    this.#follower = this.#newFollower();
  }

  /** Looks for new lines again and again, until the returned function is called. */
  follow(): () => void {
    let isOpen = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      await this.load();
      if (isOpen) timer = setTimeout(look, EVERY);
    };
    void look();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }

  async load(): Promise<void> {
    try {
      await this.#follower.load();
      this.error = undefined;
    } catch (error) {
      this.error = toStatusError(error);
    }
  }

  #newFollower(): LogFollower {
    return new LogFollower({ fetch: (from) => this.#page(from), publish: (lines) => (this.lines = lines), kept: KEPT });
  }

  /** A task that was stopped and started again counts from 0. */
  async #page(from: number): Promise<LogPage> {
    const page = await this.#fetch(from);
    if (page.total >= from) return page;
    this.lines = [];
    this.#follower = this.#newFollower();
    return { lines: [], total: from };
  }
}
