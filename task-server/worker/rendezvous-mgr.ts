import { requestIds } from '#proto/wire/ids.ts';
import type { StatusError } from '#proto/wire/status.ts';
import type { Received } from '../engine/rendezvous.ts';
import { type Arrival, RemoteRendezvous, type RendezvousEnv, type StepRendezvousEnv } from './rendezvous-remote.ts';

/** How often steps are checked for pushes that do not come. */
const CHECK_MS = 1000;
/** Steps kept that only pushes have told of, each for so many checks. */
const MAX_UNCLAIMED = 1024;
const MAX_UNCLAIMED_CHECKS = 60;
/** Steps that are over, kept to know pushes that come too late. */
const MAX_ENDED = 4096;

interface Entry {
  readonly rendezvous: RemoteRendezvous;
  /** Whose step it is, once a partition of it has run here; from then on only a cleanup ends the entry. */
  owner: object | undefined;
  /** Other tasks' calls that wait in it. */
  waiting: number;
}

/**
 * Step id → rendezvous. A peer may ask for a value before the step's RunGraph has come, so asking creates the table; when
 * all who asked give up before that, it goes again. Nothing is left of a step after `cleanup`.
 */
export class RendezvousMgr {
  readonly #env: StepRendezvousEnv;
  readonly #steps = new Map<bigint, Entry>();
  /** Steps that began with a push, and the checks since, oldest first. */
  readonly #unclaimed = new Map<bigint, number>();
  readonly #ended = new Set<bigint>();
  #stopChecks: (() => void) | undefined;

  constructor(env: RendezvousEnv) {
    this.#env = { ...env, newRequestId: requestIds() };
  }

  /** Steps that hold memory here. */
  get size(): number {
    return this.#steps.size;
  }

  /** For the partitions of a step that run here, on behalf of `owner`. The same one for all of them until `cleanup`. */
  open(stepId: bigint, owner: object, pushes = false): RemoteRendezvous {
    const entry = this.#entry(stepId);
    entry.owner = owner;
    entry.rendezvous.pushes = pushes;
    this.#unclaimed.delete(stepId);
    if (pushes) this.#stopChecks ??= this.#env.every(CHECK_MS, () => this.#check());
    return entry.rendezvous;
  }

  /** A peer has pushed a value. It may come before the step's RunGraph has, or when the step is over. */
  deliver(stepId: bigint, key: string, value: Arrival): void {
    if (this.#ended.has(stepId)) return;
    if (!this.#steps.has(stepId)) this.#unclaimed.set(stepId, 0);
    this.#entry(stepId).rendezvous.deliver(key, value);
    this.#stopChecks ??= this.#env.every(CHECK_MS, () => this.#check());
    const [oldest] = this.#unclaimed.keys();
    if (oldest !== undefined && this.#unclaimed.size > MAX_UNCLAIMED) this.cleanup(oldest);
  }

  /** For a peer: waits until a Send of this task produces the key. */
  async recvLocal(stepId: bigint, key: string, signal?: AbortSignal): Promise<Received> {
    const entry = this.#entry(stepId);
    entry.waiting++;
    try {
      return await entry.rendezvous.recvForPeer(key, signal);
    } finally {
      entry.waiting--;
      const isUnused = !entry.owner && entry.waiting === 0 && entry.rendezvous.local.isEmpty;
      if (isUnused && this.#steps.get(stepId) === entry) this.#steps.delete(stepId);
    }
  }

  /** Ends the step's transfers with this error; a step that is not known here stays unknown. */
  abort(stepId: bigint, error: StatusError): void {
    this.#steps.get(stepId)?.rendezvous.abort(error);
  }

  /** The step is over on all tasks: drops its values; who still waits gets ABORTED. */
  cleanup(stepId: bigint): void {
    const entry = this.#steps.get(stepId);
    this.#steps.delete(stepId);
    this.#unclaimed.delete(stepId);
    this.#ended.add(stepId);
    const [oldest] = this.#ended;
    if (oldest !== undefined && this.#ended.size > MAX_ENDED) this.#ended.delete(oldest);
    entry?.rendezvous.end();
  }

  /** Cleans up all steps of an owner that is gone: its master may not live to ask for it. */
  cleanupOwner(owner: object): void {
    for (const [stepId, entry] of this.#steps) if (entry.owner === owner) this.cleanup(stepId);
  }

  /** Ends all steps and waiting peers with this error. */
  dispose(error: StatusError): void {
    const entries = [...this.#steps.values()];
    this.#steps.clear();
    this.#unclaimed.clear();
    this.#stopChecks?.();
    this.#stopChecks = undefined;
    for (const { rendezvous } of entries) rendezvous.abort(error);
  }

  #check(): void {
    if (this.#steps.size === 0) {
      this.#stopChecks?.();
      this.#stopChecks = undefined;
    }
    for (const { rendezvous } of this.#steps.values()) rendezvous.checkPushes();
    for (const [stepId, checks] of this.#unclaimed) {
      if (checks < MAX_UNCLAIMED_CHECKS) this.#unclaimed.set(stepId, checks + 1);
      else this.cleanup(stepId);
    }
  }

  #entry(stepId: bigint): Entry {
    const found = this.#steps.get(stepId);
    if (found) return found;
    const made: Entry = { rendezvous: new RemoteRendezvous(stepId, this.#env), owner: undefined, waiting: 0 };
    this.#steps.set(stepId, made);
    return made;
  }
}
