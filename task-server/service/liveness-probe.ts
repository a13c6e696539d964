import type { StatusError } from '#proto/wire/status.ts';

/** How often a peer with long calls under way is asked for a sign of life, and how long it may take to answer. */
const INTERVAL_MS = 10_000;

export interface LivenessProbeEnv {
  /** One short call; resolves to the reason why the peer counts as dead, or to nothing. */
  probe(timeoutMs: number): Promise<StatusError | undefined>;
  readonly intervalMs?: number;
}

interface PendingCall {
  readonly fail: (error: StatusError) => void;
  /** Has been under way for a whole interval. */
  isLong: boolean;
}

/**
 * Ends the calls that wait for a peer which is connected but does nothing (stopped, hung, unplugged): a call that blocks for
 * hours in a dequeue is fine, one at a peer that no longer answers is not. Costs nothing while calls are short.
 */
export class LivenessProbe {
  readonly #env: LivenessProbeEnv;
  readonly #calls = new Set<PendingCall>();
  #timer: NodeJS.Timeout | undefined;

  constructor(env: LivenessProbeEnv) {
    this.#env = env;
  }

  /** `fail` is called at most once, and not after the returned function. */
  watch(fail: (error: StatusError) => void): () => void {
    const call: PendingCall = { fail, isLong: false };
    this.#calls.add(call);
    this.#timer ??= setInterval(() => void this.#tick(), this.#intervalMs).unref();
    return () => this.#calls.delete(call);
  }

  /** Ends all calls with this reason. */
  dispose(reason: StatusError): void {
    this.#rest();
    for (const call of this.#calls) call.fail(reason);
    this.#calls.clear();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get #intervalMs(): number {
    return this.#env.intervalMs ?? INTERVAL_MS;
  }

  async #tick(): Promise<void> {
    if (this.#calls.size === 0) {
      this.#rest();
      return;
    }
    const suspects = [...this.#calls].filter((call) => call.isLong);
    for (const call of this.#calls) call.isLong = true;
    if (suspects.length === 0) return;
    const reason = await this.#env.probe(this.#intervalMs);
    if (!reason) return;
    for (const call of suspects) if (this.#calls.delete(call)) call.fail(reason);
  }
}
