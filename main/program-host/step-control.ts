import type { ClientEvent, ClientOrders, Steer } from './protocol.ts';
import { StepGate } from './step-gate.ts';
import { parseWatch } from './watch/watch-expression.ts';
import { Watcher } from './watch/watcher.ts';

/** The parent hears of the count this often at most, in milliseconds. */
const TELL_MS = 100;

/** A step that was let through the gate. */
export interface ControlledStep {
  /** Its place among the steps of the client, from 1 on. */
  readonly number: number;
  readonly isTraced: boolean;
  /** It has run. */
  finish(): void;
  /** It has failed, and does not count. */
  fail(): void;
}

/** What all sessions of one client share: when a step may run, which is traced, how many there were, and what is watched. */
export class StepControl {
  readonly watcher: Watcher;
  readonly #gate: StepGate;
  readonly #traceEvery: number;
  readonly #tell: (event: ClientEvent) => void;
  readonly #signal: AbortSignal;
  #completed = 0;
  #running = 0;
  #told = 0;
  #telling: NodeJS.Timeout | undefined;
  #traceNext = false;

  /** Throws INVALID_ARGUMENT for something that cannot be watched. */
  constructor({ plan }: Pick<ClientOrders, 'plan'>, tell: (event: ClientEvent) => void, signal: AbortSignal) {
    this.#gate = new StepGate(plan.interval);
    this.#traceEvery = plan.traceEvery ?? 0;
    this.#tell = tell;
    this.#signal = signal;
    this.watcher = new Watcher((plan.watch ?? []).map(parseWatch), {
      tell,
      steps: () => this.#completed,
      isStepping: () => this.#running > 0,
    });
  }

  /** Steps that have run. */
  get steps(): number {
    return this.#completed;
  }

  steer(steer: Steer): void {
    if (steer === 'pause') this.#gate.close();
    else if (steer === 'resume') this.#gate.open();
    else if (steer === 'step') this.#gate.permitOne();
    else this.#traceNext = true;
  }

  /** Waits until the next step may run. Rejects when the run is stopped, or the caller's own signal aborts. */
  async begin(signal?: AbortSignal): Promise<ControlledStep> {
    await this.#gate.enter(this.#signal, signal);
    await this.watcher.settled();
    this.#signal.throwIfAborted();
    signal?.throwIfAborted();
    this.#running++;
    const number = this.#completed + this.#running;
    const isTraced = this.#traceNext || (this.#traceEvery > 0 && number % this.#traceEvery === 0);
    this.#traceNext = false;
    return {
      number,
      isTraced,
      finish: () => {
        this.#running--;
        this.#completed++;
        this.#tellSoon();
      },
      fail: () => {
        this.#running--;
      },
    };
  }

  /** Tells what has not been told. The sessions are still open. */
  async close(): Promise<void> {
    if (!this.#signal.aborted) await this.watcher.close();
    clearTimeout(this.#telling);
    if (this.#told !== this.#completed) this.#tellCount();
    this.#tell({ kind: 'watched', ...this.watcher.names });
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => this.#tellCount(), TELL_MS).unref();
  }

  #tellCount(): void {
    this.#telling = undefined;
    this.#told = this.#completed;
    this.#tell({ kind: 'steps', count: this.#completed });
  }
}
