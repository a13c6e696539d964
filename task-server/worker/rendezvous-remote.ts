import { taskOfDevice } from '#proto/wire/device-name.ts';
import { random64 } from '#proto/wire/ids.ts';
import { Code, internal, invalidArgument, StatusError, toStatusError } from '#proto/wire/status.ts';
import { epochNanos } from '../engine/epoch-clock.ts';
import { LocalRendezvous } from '../engine/local-rendezvous.ts';
import type { Received, Rendezvous } from '../engine/rendezvous.ts';
import type { TransferLog } from './transfer-log.ts';
import type { WorkerInterface } from './worker-interface.ts';

/** The worker of another task, by task name; undefined for a task that the cluster does not list. */
export type PeerWorkers = (task: string) => Pick<WorkerInterface, 'recvTensor'> | undefined;

export interface RendezvousEnv {
  /** Own task, `/job:worker/replica:0/task:1`. */
  readonly task: string;
  readonly peers: PeerWorkers;
  readonly transferLog: TransferLog;
  /** Hears of every send and receive; not given when nobody listens. */
  readonly trace?: ((event: string) => void) | undefined;
}

/**
 * The rendezvous of one step on one task. Values of own Sends meet in the local table; a value that another task produces
 * is fetched from that task's worker. Aborting it also ends the fetches under way.
 */
export class RemoteRendezvous implements Rendezvous {
  /** What own Sends produce, for own Recvs and for peers. */
  readonly local = new LocalRendezvous();
  readonly #stepId: bigint;
  readonly #env: RendezvousEnv;
  /** One signal per fetch: a step may have hundreds. */
  readonly #fetches = new Set<AbortController>();
  #error: StatusError | undefined;

  constructor(stepId: bigint, env: RendezvousEnv) {
    this.#stepId = stepId;
    this.#env = env;
  }

  send(key: string, value: Received): void {
    this.#env.trace?.(`step ${this.#stepId} send ${key}`);
    this.local.send(key, value);
  }

  recv(key: string): Received | Promise<Received> {
    this.#env.trace?.(`step ${this.#stepId} recv ${key}`);
    const isLocal = key.startsWith(`${this.#env.task}/`);
    return isLocal ? this.local.recv(key) : this.#fetch(key);
  }

  abort(error: StatusError): void {
    this.#error ??= error;
    this.local.abort(error);
    for (const fetch of this.#fetches) fetch.abort(error);
  }

  async #fetch(key: string): Promise<Received> {
    if (this.#error) throw this.#error;
    const task = taskOfDevice(key.slice(0, key.indexOf(';')));
    if (!task) throw invalidArgument(`Invalid rendezvous key (src): ${key} @ ${this.#env.task}`);
    const worker = this.#env.peers(task);
    if (!worker) throw internal(`No worker known as ${task}`);
    const call = { stepId: this.#stepId, key, requestId: newRequestId() };
    const fetch = new AbortController();
    this.#fetches.add(fetch);
    try {
      const requestedMicros = epochMicros();
      const result = await worker.recvTensor(call, { signal: fetch.signal });
      this.#env.transferLog.record(call, result, { requestedMicros, repliedMicros: epochMicros() });
      return result;
    } catch (error) {
      throw fromPeer(error);
    } finally {
      this.#fetches.delete(fetch);
    }
  }
}

/** A peer's answer that the step failed there: the peer itself reports that. Only a peer out of reach is news. */
function fromPeer(thrown: unknown): StatusError {
  const { code, message, cause, details } = toStatusError(thrown);
  return new StatusError(code, message, { cause, details, derived: code !== Code.UNAVAILABLE });
}

/** Random, not 0, as the signed 64-bit number that the wire carries. */
function newRequestId(): bigint {
  return BigInt.asIntN(64, random64() || 1n);
}

function epochMicros(): bigint {
  return epochNanos() / 1000n;
}
