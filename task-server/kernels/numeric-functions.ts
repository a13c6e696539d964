/** Functions of one number that JavaScript lacks, or that TensorFlow computes in another way. */

export const SELU_ALPHA = 1.6732632423543772;
export const SELU_SCALE = 1.0507009873554805;

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** log(1 + eˣ) without overflow. */
export function softplus(x: number): number {
  if (x > 30) return x;
  return x < -30 ? Math.exp(x) : Math.log1p(Math.exp(x));
}

export function elu(x: number): number {
  return x < 0 ? Math.expm1(x) : x;
}

/** Rounds halves to the even neighbour and keeps the sign of zero. */
export function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  // -0 for x in [-0.5, 0).
  const up = floor === -1 ? -0 : floor + 1;
  return rest > 0.5 || floor % 2 !== 0 ? up : floor;
}

/** Error function to double precision: its series near zero, the continued fraction of erfc beyond. */
export function erf(x: number): number {
  const size = Math.abs(x);
  return size < SERIES_LIMIT ? erfSeries(x) : Math.sign(x) * (1 - erfcTail(size));
}

export function erfc(x: number): number {
  if (Math.abs(x) < SERIES_LIMIT) return 1 - erfSeries(x);
  return x > 0 ? erfcTail(x) : 2 - erfcTail(-x);
}

const SERIES_LIMIT = 2;
const TWO_BY_ROOT_PI = 1.1283791670955126;
const ROOT_PI = 1.7724538509055159;

/** 2/√π e^(-x²) Σ 2ⁿ x^(2n+1) / (2n+1)!!: all terms of one sign, so nothing cancels. */
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return TWO_BY_ROOT_PI * Math.exp(-x * x) * sum;
}

/** Continued fraction of Laplace, evaluated from its tail; 60 terms give double precision from 2 on. */
function erfcTail(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / (ROOT_PI * fraction);
}
