import { aborted } from '#proto/wire/status.ts';

/**
 * The request ids seen lately, so that a call which a network layer repeats is not served twice. Id 0 means "not checked".
 * Memory is bounded: the oldest id is forgotten when `capacity` newer ones have come.
 */
export class RecentRequestIds {
  readonly #capacity: number;
  /** A Set keeps insertion order, so its first element is the oldest. */
  readonly #seen = new Set<bigint>();

  constructor(capacity = 20_000) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#seen.size;
  }

  /** ABORTED when this id was given before; `method` is named in the text. */
  track(requestId: bigint, method: string): void {
    if (requestId === 0n) return;
    if (this.#seen.has(requestId)) {
      throw aborted(`The same ${method} request was received twice. request_id: ${requestId}`);
    }
    this.#seen.add(requestId);
    if (this.#seen.size <= this.#capacity) return;
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }
}
