import type { Span } from './broadcast.ts';
import type { BigArray, NumberArray } from './numeric-types.ts';

/**
 * Inner loops over spans. Those of the commonest ops are written out: V8 compiles one body per function literal, so a
 * loop that calls a function per element costs four times as much once several ops share it.
 */
export type Loop<A> = (a: A, b: A, out: A, span: Span) => void;
export type NumberLoop = Loop<NumberArray>;
export type BigLoop = Loop<BigArray>;

export const add: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) + (b[j] as number);
  }
};

export const sub: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) - (b[j] as number);
  }
};

export const mul: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) * (b[j] as number);
  }
};

/** The low 32 bits of the product, which a double cannot hold. */
export const mulInt: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = Math.imul(a[i] as number, b[j] as number);
  }
};

export const div: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) / (b[j] as number);
  }
};

/** NaN wins; of two equal values (zeros of either sign) the second. */
export const maximum: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    const x = a[i] as number;
    const y = b[j] as number;
    out[to] = x <= y ? y : x > y ? x : Number.NaN;
  }
};

export const minimum: NumberLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    const x = a[i] as number;
    const y = b[j] as number;
    out[to] = x >= y ? y : x < y ? x : Number.NaN;
  }
};

export const addBig: BigLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = BigInt.asIntN(64, (a[i] as bigint) + (b[j] as bigint));
  }
};

export const subBig: BigLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = BigInt.asIntN(64, (a[i] as bigint) - (b[j] as bigint));
  }
};

export const mulBig: BigLoop = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = BigInt.asIntN(64, (a[i] as bigint) * (b[j] as bigint));
  }
};

/** The loop of any other function of two numbers. */
export function numberLoop(f: (x: number, y: number) => number): NumberLoop {
  return (a, b, out, span) => {
    let { a: i, b: j, out: to } = span;
    for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
      out[to] = f(a[i] as number, b[j] as number);
    }
  };
}

/** Storing wraps the result to 64 bits. */
export function bigLoop(f: (x: bigint, y: bigint) => bigint): BigLoop {
  return (a, b, out, span) => {
    let { a: i, b: j, out: to } = span;
    for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
      out[to] = f(a[i] as bigint, b[j] as bigint);
    }
  };
}
