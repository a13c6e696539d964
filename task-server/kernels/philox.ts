import type { Tensor } from '#proto/wire/tensor.ts';

/** Numbers of 32 bits that one step of the generator makes. */
export const GROUP = 4;

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const KEY_STEP_0 = 0x9e3779b9;
const KEY_STEP_1 = 0xbb67ae85;
const ROUNDS = 10;

/**
 * The counter-based generator Philox 4x32-10: each step encrypts a counter of 128 bits with a key of 64, so that any
 * thread may start anywhere in the stream. Streams equal TensorFlow's bit for bit.
 */
export class Philox {
  readonly #key0: number;
  readonly #key1: number;
  readonly #counter: Uint32Array;
  /** What the last `step` made. */
  readonly group = new Uint32Array(GROUP);
  #used = GROUP;

  private constructor(key0: number, key1: number, counter: Uint32Array) {
    this.#key0 = key0;
    this.#key1 = key1;
    this.#counter = counter;
  }

  /** The stream of two seeds, of which the second one fills the upper half of the counter. */
  static fromSeeds(seed: bigint, seed2: bigint): Philox {
    const words = Uint32Array.of(0, 0, Number(BigInt.asUintN(32, seed2)), Number(BigInt.asUintN(32, seed2 >> 32n)));
    return new Philox(Number(BigInt.asUintN(32, seed)), Number(BigInt.asUintN(32, seed >> 32n)), words);
  }

  static fromState({ data }: Tensor<'uint32'>): Philox {
    return new Philox(data[0] as number, data[1] as number, data.slice(2));
  }

  /** Key and counter: all that a pure kernel needs to go on from here. */
  state(): Tensor<'uint32'> {
    return { dtype: 'uint32', shape: [2 + GROUP], data: Uint32Array.of(this.#key0, this.#key1, ...this.#counter) };
  }

  /** Leaves out as many steps. */
  skip(steps: number): void {
    const counter = this.#counter;
    let rest = steps;
    for (let word = 0; word < GROUP && rest > 0; word++) {
      const sum = (counter[word] as number) + (rest % 2 ** 32);
      counter[word] = sum;
      rest = Math.floor(rest / 2 ** 32) + (sum >= 2 ** 32 ? 1 : 0);
    }
    this.#used = GROUP;
  }

  /** Makes the next group and moves the counter on. */
  step(): Uint32Array {
    const counter = this.#counter;
    let c0 = counter[0] as number;
    let c1 = counter[1] as number;
    let c2 = counter[2] as number;
    let c3 = counter[3] as number;
    let key0 = this.#key0;
    let key1 = this.#key1;
    for (let round = 0; round < ROUNDS; round++) {
      const high0 = multiplyHigh(MULTIPLIER_0, c0);
      const low0 = Math.imul(MULTIPLIER_0, c0);
      const high1 = multiplyHigh(MULTIPLIER_1, c2);
      const low1 = Math.imul(MULTIPLIER_1, c2);
      c0 = high1 ^ c1 ^ key0;
      c1 = low1;
      c2 = high0 ^ c3 ^ key1;
      c3 = low0;
      key0 = (key0 + KEY_STEP_0) | 0;
      key1 = (key1 + KEY_STEP_1) | 0;
    }
    const group = this.group;
    group[0] = c0;
    group[1] = c1;
    group[2] = c2;
    group[3] = c3;
    this.#increment();
    return group;
  }

  /** Numbers of 32 bits one by one. */
  next(): number {
    if (this.#used === GROUP) {
      this.step();
      this.#used = 0;
    }
    return this.group[this.#used++] as number;
  }

  #increment(): void {
    const counter = this.#counter;
    for (let word = 0; word < GROUP; word++) {
      const sum = ((counter[word] as number) + 1) >>> 0;
      counter[word] = sum;
      if (sum !== 0) return;
    }
  }
}

/** The upper 32 bits of a product of two numbers of 32 bits. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = (aLow * bHigh + (middle & 0xffff)) >>> 16;
  return (aHigh * bHigh + (middle >>> 16) + carry) | 0;
}
