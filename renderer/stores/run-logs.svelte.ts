import type { LogLine } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Core } from '../api/core.ts';
import { LogFollower } from './log-follower.ts';

/** A longer log is complete in the run's folder and in its bundle. */
const KEPT = 200_000;

/** The log of one run, of all its tasks and clients: the last lines there are, and those that come. */
export class RunLogs {
  lines = $state.raw<readonly LogLine[]>([]);
  error = $state.raw<StatusError | undefined>(undefined);
  readonly #core: Core;
  readonly #run: string;
  readonly #follower: LogFollower;

  constructor(core: Core, run: string) {
    this.#core = core;
    this.#run = run;
    this.#follower = new LogFollower({
      fetch: (from) => core.call('runs.logs', { run, from }),
      publish: (lines) => {
        this.lines = lines;
      },
      kept: KEPT,
    });
  }

  /** Follows the run until the returned function is called. */
  follow(): () => void {
    const stops = [
      this.#core.on('runs.logged', ({ run, lines }) => {
        if (run === this.#run) void this.#try(() => this.#follower.hear(lines));
      }),
      this.#core.onState((state) => {
        if (state.kind === 'connected') void this.#try(() => this.#follower.load());
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async #try(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.error = undefined;
    } catch (error) {
      this.error = toStatusError(error);
    }
  }
}
