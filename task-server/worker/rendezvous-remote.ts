import { aborted, alreadyExists, Code, internal, StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import { epochNanos } from '../engine/epoch-clock.ts';
import { LocalRendezvous } from '../engine/local-rendezvous.ts';
import type { Received, Rendezvous } from '../engine/rendezvous.ts';
import type { StepTransfers, TransferLog, TransferTimes } from './transfer-log.ts';
import type { TransferRoutes } from './transfer-routes.ts';
import type { WorkerInterface } from './worker-interface.ts';

/** The worker of another task, by task name; undefined for a task that the cluster does not list. */
export type PeerWorkers = (task: string) => Pick<WorkerInterface, 'recvTensor' | 'pushTensor'> | undefined;

export interface RendezvousEnv {
  /** Own task, `/job:worker/replica:0/task:1`. */
  readonly task: string;
  readonly peers: PeerWorkers;
  readonly routes: TransferRoutes;
  readonly transferLog: TransferLog;
  /** Hears of every send and receive; not given when nobody listens. */
  readonly trace?: ((event: string) => void) | undefined;
  /** Calls back again and again until the returned function is called. */
  readonly every: (ms: number, callback: () => void) => () => void;
}

/** What all steps of a task share. */
export interface StepRendezvousEnv extends RendezvousEnv {
  readonly newRequestId: () => bigint;
}

/** A value of another task, as it lies here. */
export interface Arrival extends Received, TransferTimes {
  /** Unix epoch, microseconds, by the sender's clock. */
  readonly sendStartMicros: bigint;
}

/** Checks of a missing push until its sender is asked, and until it is lost although the sender says to have sent it. */
const CHECKS_UNTIL_ASKED = 1;
const CHECKS_UNTIL_LOST = 60;
/** In place of a number of checks while the sender is being asked. */
const ASKING = -1;

/**
 * The rendezvous of one step on one task. Values of own Sends meet in the local table. In a step with `pushes` those for other
 * tasks go there at once, and theirs come into the same table; else a value that another task produces is fetched from that
 * task's worker. Aborting it also ends the fetches under way.
 */
export class RemoteRendezvous implements Rendezvous {
  /** What own Sends produce, for own Recvs and for peers, and what peers have pushed. */
  readonly local = new LocalRendezvous();
  /** Both are set, if at all, before the first Send or Recv of the step. */
  pushes = false;
  /** Hears of what comes from other tasks, in place of the log of all steps. */
  transfers: StepTransfers | undefined;
  readonly #stepId: bigint;
  readonly #env: StepRendezvousEnv;
  /** One signal per fetch: a step may have hundreds. */
  readonly #fetches = new Set<AbortController>();
  readonly #pushed = new Set<string>();
  /** Awaited pushes, and how often they were found missing before. */
  readonly #missing = new Map<string, number>();
  #error: StatusError | undefined;
  #isOver = false;

  constructor(stepId: bigint, env: StepRendezvousEnv) {
    this.#stepId = stepId;
    this.#env = env;
  }

  send(key: string, value: Received): void {
    this.#env.trace?.(`step ${this.#stepId} send ${key}`);
    if (this.#isOver) throw this.#overError();
    const receiver = this.pushes ? this.#env.routes.receiver(key) : undefined;
    if (receiver === undefined || this.local.isAwaited(key)) this.local.send(key, value);
    else this.#push(receiver, key, value);
  }

  recv(key: string): Received | Promise<Received> {
    this.#env.trace?.(`step ${this.#stepId} recv ${key}`);
    if (this.#isOver) return Promise.reject(this.#overError());
    if (key.startsWith(`${this.#env.task}/`)) return this.local.recv(key);
    if (!this.pushes) return this.#fetch(key);
    const value = this.local.recv(key);
    if (!this.transfers && !this.#env.transferLog.enabled) return value;
    return value instanceof Promise ? value.then((each) => this.#logged(key, each)) : this.#logged(key, value);
  }

  /** For a peer that asks for a value of this task. ALREADY_EXISTS when it has been pushed. */
  async recvForPeer(key: string, signal?: AbortSignal): Promise<Received> {
    if (this.#pushed.has(key)) throw alreadyExists(`The value of ${key} is on its way`);
    return this.local.recv(key, signal);
  }

  /** A peer has pushed this value. One that comes too late counts for nothing. */
  deliver(key: string, value: Arrival): void {
    if (!this.#isOver && !this.#error) this.local.send(key, value);
  }

  abort(error: StatusError): void {
    this.#error ??= error;
    this.local.abort(error);
    for (const fetch of this.#fetches) fetch.abort(error);
  }

  /** The step is over on all tasks; who still waits, or comes later, gets ABORTED. */
  end(): void {
    this.#isOver = true;
    if (this.local.awaitedKeys.length > 0 || this.#fetches.size > 0) this.abort(this.#overError());
  }

  /**
   * To be called every second: asks for pushes that have been awaited since the call before. A peer that is gone, or a
   * connection that broke with a value in it, is found out in this way.
   */
  checkPushes(): void {
    if (!this.pushes) return;
    const awaited = this.local.awaitedKeys.filter((key) => !key.startsWith(`${this.#env.task}/`));
    for (const key of this.#missing.keys()) if (!awaited.includes(key)) this.#missing.delete(key);
    for (const key of awaited) {
      const checks = this.#missing.get(key) ?? 0;
      if (checks === ASKING) continue;
      this.#missing.set(key, checks + 1);
      if (checks === CHECKS_UNTIL_ASKED) void this.#ask(key);
      else if (checks > CHECKS_UNTIL_LOST) this.abort(unavailable(`The value of ${key} has been sent, but did not arrive`));
    }
  }

  #push(receiver: string, key: string, { tensor, isDead }: Received): void {
    if (this.#error) throw this.#error;
    this.#pushed.add(key);
    const call = { stepId: this.#stepId, key, tensor, isDead, sendStartMicros: epochMicros() };
    this.#peer(receiver)
      .pushTensor(call)
      .catch((error) => this.abort(toStatusError(error)));
  }

  async #fetch(key: string): Promise<Received> {
    return this.#logged(key, await this.#request(key));
  }

  /** The sender of a push that has been missed for a while answers in its place, or says why there is none. */
  async #ask(key: string): Promise<void> {
    this.#missing.set(key, ASKING);
    try {
      this.deliver(key, await this.#request(key));
    } catch (error) {
      const status = toStatusError(error);
      if (status.code === Code.ALREADY_EXISTS) this.#missing.set(key, CHECKS_UNTIL_ASKED + 1);
      else this.abort(status);
    }
  }

  async #request(key: string): Promise<Arrival> {
    if (this.#error) throw this.#error;
    const worker = this.#peer(this.#env.routes.sender(key));
    const call = { stepId: this.#stepId, key, requestId: this.#env.newRequestId() };
    const fetch = new AbortController();
    this.#fetches.add(fetch);
    try {
      const requestedMicros = epochMicros();
      const result = await worker.recvTensor(call, { signal: fetch.signal });
      return { ...result, requestedMicros, repliedMicros: epochMicros() };
    } catch (error) {
      throw fromPeer(error);
    } finally {
      this.#fetches.delete(fetch);
    }
  }

  #peer(task: string): NonNullable<ReturnType<PeerWorkers>> {
    const worker = this.#env.peers(task);
    if (!worker) throw internal(`No worker known as ${task}`);
    return worker;
  }

  #logged(key: string, value: Received): Received {
    if (!isArrival(value)) return value;
    if (this.transfers) this.transfers.record(key, value);
    else this.#env.transferLog.record(this.#stepId, key, value);
    return value;
  }

  #overError(): StatusError {
    return aborted(`Cleanup ${this.#stepId}`, { derived: true });
  }
}

function isArrival(value: Received): value is Arrival {
  return 'sendStartMicros' in value;
}

/** A peer's answer that the step failed there: the peer itself reports that. Only a peer out of reach is news. */
function fromPeer(thrown: unknown): StatusError {
  const { code, message, cause, details } = toStatusError(thrown);
  return new StatusError(code, message, { cause, details, derived: code !== Code.UNAVAILABLE });
}

export function epochMicros(): bigint {
  return epochNanos() / 1000n;
}
