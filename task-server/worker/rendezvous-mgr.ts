import { aborted, type StatusError } from '#proto/wire/status.ts';
import type { Received } from '../engine/rendezvous.ts';
import { RemoteRendezvous, type RendezvousEnv } from './rendezvous-remote.ts';

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
  readonly #env: RendezvousEnv;
  readonly #steps = new Map<bigint, Entry>();

  constructor(env: RendezvousEnv) {
    this.#env = env;
  }

  /** Steps that hold memory here. */
  get size(): number {
    return this.#steps.size;
  }

  /** For the partitions of a step that run here, on behalf of `owner`. The same one for all of them until `cleanup`. */
  open(stepId: bigint, owner: object): RemoteRendezvous {
    const entry = this.#entry(stepId);
    entry.owner = owner;
    return entry.rendezvous;
  }

  /** For a peer: waits until a Send of this task produces the key. */
  async recvLocal(stepId: bigint, key: string, signal?: AbortSignal): Promise<Received> {
    const entry = this.#entry(stepId);
    entry.waiting++;
    try {
      return await entry.rendezvous.local.recv(key, signal);
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
    entry?.rendezvous.abort(aborted(`Cleanup ${stepId}`, { derived: true }));
  }

  /** Cleans up all steps of an owner that is gone: its master may not live to ask for it. */
  cleanupOwner(owner: object): void {
    for (const [stepId, entry] of this.#steps) if (entry.owner === owner) this.cleanup(stepId);
  }

  /** Ends all steps and waiting peers with this error. */
  dispose(error: StatusError): void {
    const entries = [...this.#steps.values()];
    this.#steps.clear();
    for (const { rendezvous } of entries) rendezvous.abort(error);
  }

  #entry(stepId: bigint): Entry {
    const found = this.#steps.get(stepId);
    if (found) return found;
    const made: Entry = { rendezvous: new RemoteRendezvous(stepId, this.#env), owner: undefined, waiting: 0 };
    this.#steps.set(stepId, made);
    return made;
  }
}
