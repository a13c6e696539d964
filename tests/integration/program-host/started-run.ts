import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cancelled } from '#proto/wire/status.ts';
import { type RunEvent, type RunProgramOptions, type RunResult, runProgram } from '../../../main/program-host/run-program.ts';
import { Steering } from '../../../main/program-host/steering.ts';

const entry = fileURLToPath(new URL('../../../dist/program-host/index.js', import.meta.url));

export const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));

type EventOf<K extends RunEvent['kind']> = Extract<RunEvent, { kind: K }>;

/** A run that goes on, and what it has told so far. */
export class StartedRun {
  readonly steering = new Steering();
  readonly result: Promise<RunResult>;
  readonly #events: RunEvent[] = [];
  readonly #stop = new AbortController();

  constructor(options: Omit<RunProgramOptions, 'entry' | 'steering' | 'signal' | 'onEvent'>) {
    const { steering } = this;
    this.result = runProgram({ ...options, entry, steering, signal: this.#stop.signal, onEvent: (event) => this.#events.push(event) });
    this.result.catch(() => undefined);
  }

  all<K extends RunEvent['kind']>(kind: K): readonly EventOf<K>[] {
    return this.#events.filter((event): event is EventOf<K> => event.kind === kind);
  }

  get steps(): number {
    return this.all('steps').at(-1)?.count ?? 0;
  }

  samples(series: string): readonly EventOf<'sample'>[] {
    return this.all('sample').filter((sample) => sample.series === series);
  }

  values(series: string): readonly number[] {
    return this.samples(series).map(({ value }) => value);
  }

  /** Rejects when the run ends before. */
  async until(holds: () => boolean): Promise<void> {
    let isOver = false;
    void this.result
      .finally(() => {
        isOver = true;
      })
      .catch(() => undefined);
    while (!holds()) {
      if (isOver) {
        await this.result;
        throw new Error('The run has ended before that');
      }
      await delay(10);
    }
  }

  /** Resolves to the milliseconds that it took. */
  async stop(): Promise<number> {
    const started = performance.now();
    this.#stop.abort(cancelled('stopped by the test'));
    await Promise.allSettled([this.result]);
    return performance.now() - started;
  }
}
