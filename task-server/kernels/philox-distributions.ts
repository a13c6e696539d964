import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from './half.ts';
import type { Philox } from './philox.ts';
import { GROUP } from './philox.ts';

/** How the floats of a type are made: groups of as many as one step of the generator yields. */
export interface FloatStream {
  readonly perGroup: number;
  /** The numbers of one step in [0, 1). */
  uniform(bits: Uint32Array, out: Float64Array): void;
  /** A pair of independent normal numbers from the next bits. */
  normalPair(next: () => number, pair: Float64Array): void;
  /** To the precision of the type. */
  round(value: number): number;
}

const TINY = 1.0e-7;

const unitFloat = (bits: number) => (bits & 0x7fffff) * 2 ** -23;
const unitDouble = (low: number, high: number) => (low & 0xfffff) * 2 ** -20 + high * 2 ** -52;

function boxMullerFloat(next: () => number, pair: Float64Array): void {
  const radius = Math.fround(Math.sqrt(Math.fround(-2 * Math.fround(Math.log(Math.max(unitFloat(next()), Math.fround(TINY)))))));
  const angle = Math.fround(2 * Math.PI * unitFloat(next()));
  pair[0] = Math.fround(Math.fround(Math.sin(angle)) * radius);
  pair[1] = Math.fround(Math.fround(Math.cos(angle)) * radius);
}

function boxMullerDouble(next: () => number, pair: Float64Array): void {
  const first = unitDouble(next(), next());
  const angle = 2 * Math.PI * unitDouble(next(), next());
  const radius = Math.sqrt(-2 * Math.log(Math.max(first, TINY)));
  pair[0] = Math.sin(angle) * radius;
  pair[1] = Math.cos(angle) * radius;
}

const uniformFrom =
  (unit: (bits: number) => number) =>
  (bits: Uint32Array, out: Float64Array): void => {
    for (let i = 0; i < GROUP; i++) out[i] = unit(bits[i] as number);
  };

function uniformDoubles(bits: Uint32Array, out: Float64Array): void {
  out[0] = unitDouble(bits[0] as number, bits[1] as number);
  out[1] = unitDouble(bits[2] as number, bits[3] as number);
}

export const floatStreams = {
  float: { perGroup: 4, uniform: uniformFrom(unitFloat), normalPair: boxMullerFloat, round: Math.fround },
  double: { perGroup: 2, uniform: uniformDoubles, normalPair: boxMullerDouble, round: (value) => value },
  half: {
    perGroup: 4,
    uniform: uniformFrom((bits) => (bits & 0x3ff) / 0x400),
    normalPair: boxMullerFloat,
    round: (value) => halfToNumber(numberToHalf(value)),
  },
  bfloat16: {
    perGroup: 4,
    uniform: uniformFrom((bits) => (bits & 0x7f) / 0x80),
    normalPair: boxMullerFloat,
    round: (value) => bfloat16ToNumber(numberToBfloat16(value)),
  },
} as const satisfies Record<string, FloatStream>;

export type FloatType = keyof typeof floatStreams;

/** Where the numbers go: anything that is written by index. */
export interface Sink {
  readonly length: number;
  [index: number]: number;
}

export function fillUniform(generator: Philox, { perGroup, uniform }: FloatStream, out: Sink): void {
  const numbers = new Float64Array(GROUP);
  for (let at = 0; at < out.length; at += perGroup) {
    uniform(generator.step(), numbers);
    for (let i = 0; i < perGroup && at + i < out.length; i++) out[at + i] = numbers[i] as number;
  }
}

export function fillNormal(generator: Philox, { perGroup, normalPair }: FloatStream, out: Sink): void {
  const pair = new Float64Array(2);
  const next = () => generator.next();
  // Both numbers of a pair come from one step, so pairs in a row are groups in a row.
  const pairs = Math.ceil(out.length / perGroup) * (perGroup / 2);
  for (let index = 0; index < pairs; index++) {
    normalPair(next, pair);
    for (let i = 0; i < 2 && 2 * index + i < out.length; i++) out[2 * index + i] = pair[i] as number;
  }
}

const TRUNCATE_AT = 2;
/** Steps of the generator set aside for each number, because nobody knows how many tries it takes. */
const RESERVED_STEPS = 256 / GROUP;

export function fillTruncatedNormal(generator: Philox, { perGroup, normalPair }: FloatStream, out: Sink): void {
  const pair = new Float64Array(2);
  let used = 0;
  const next = () => {
    used++;
    return generator.next();
  };
  for (let at = 0; at < out.length; at += perGroup) {
    used = 0;
    for (let made = 0; made < perGroup; ) {
      normalPair(next, pair);
      for (let i = 0; i < 2 && made < perGroup; i++) {
        const value = pair[i] as number;
        if (Math.abs(value) >= TRUNCATE_AT) continue;
        if (at + made < out.length) out[at + made] = value;
        made++;
      }
    }
    generator.skip(perGroup * RESERVED_STEPS - Math.ceil(used / GROUP));
  }
}
