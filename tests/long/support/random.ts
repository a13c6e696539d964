/** Random choices that a seed repeats exactly. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.#unit() * limit);
  }

  /** From `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.#unit() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('nothing to pick from');
    return choices[this.below(choices.length)] as T;
  }

  bytes(count: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }

  /** Mulberry32. */
  #unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Runs with a new seed, or with that of LANFLOW_SEED; a failure names the seed that repeats it. */
export async function withSeed(body: (random: Random) => Promise<void>): Promise<void> {
  const seed = Number(process.env['LANFLOW_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  try {
    await body(new Random(seed));
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n(LANFLOW_SEED=${seed} repeats this)`, { cause: error });
  }
}
