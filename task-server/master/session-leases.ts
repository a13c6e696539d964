import type { After } from './master-env.ts';
import type { MasterCallOptions } from './master-interface.ts';

/** A client whose connection broke during a call, or before the first, may dial again to go on; one that was killed does not. */
const BROKEN_MS = 600_000;
/** One that hung up between calls: clients do so after half an hour without a call, and dial again for the next. */
const IDLE_MS = 24 * 3_600_000;
/** A call that its client has given up may end just before or after the connection is known to be gone. */
const TOGETHER_MS = 1000;

interface Lease {
  /** Those that the session was used over and that are still there, each with what stops watching it. */
  readonly connections: Map<AbortSignal, () => void>;
  /** Under way. */
  calls: number;
  hasRun: boolean;
  /** When a call was last given up by its client; milliseconds since the epoch. */
  givenUpAt: number;
  stopExpiry: (() => void) | undefined;
}

/**
 * Which sessions are still wanted: those whose clients are connected, or have been a moment ago. The others are to be ended,
 * which `expire` does.
 */
export class SessionLeases {
  readonly #after: After;
  readonly #expire: (handle: string) => void;
  readonly #leases = new Map<string, Lease>();

  constructor(after: After, expire: (handle: string) => void) {
    this.#after = after;
    this.#expire = expire;
  }

  /** The session has been made, or is used again. */
  hold(handle: string, connection: AbortSignal | undefined): void {
    if (!connection) return;
    const lease = this.#lease(handle);
    lease.stopExpiry?.();
    lease.stopExpiry = undefined;
    if (lease.connections.has(connection)) return;
    const lose = () => this.#lose(handle, connection);
    lease.connections.set(connection, () => connection.removeEventListener('abort', lose));
    connection.addEventListener('abort', lose);
    if (connection.aborted) lose();
  }

  /** A call that uses the session, from beginning to end. */
  async during<T>(handle: string, { connection, signal }: MasterCallOptions, call: () => Promise<T>): Promise<T> {
    if (!connection) return call();
    this.hold(handle, connection);
    const lease = this.#lease(handle);
    lease.calls++;
    lease.hasRun = true;
    try {
      return await call();
    } finally {
      lease.calls--;
      if (signal?.aborted) lease.givenUpAt = Date.now();
    }
  }

  /** The session is over. */
  release(handle: string): void {
    const lease = this.#leases.get(handle);
    this.#leases.delete(handle);
    lease?.stopExpiry?.();
    for (const stopWatching of lease?.connections.values() ?? []) stopWatching();
  }

  #lease(handle: string): Lease {
    const known = this.#leases.get(handle);
    if (known) return known;
    const made: Lease = { connections: new Map(), calls: 0, hasRun: false, givenUpAt: 0, stopExpiry: undefined };
    this.#leases.set(handle, made);
    return made;
  }

  #lose(handle: string, connection: AbortSignal): void {
    const lease = this.#leases.get(handle);
    lease?.connections.delete(connection);
    if (!lease || lease.connections.size > 0) return;
    const isBroken = !lease.hasRun || lease.calls > 0 || Date.now() - lease.givenUpAt < TOGETHER_MS;
    lease.stopExpiry = this.#after(isBroken ? BROKEN_MS : IDLE_MS, () => this.#expire(handle));
  }
}
