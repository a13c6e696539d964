import { describe, expect, it } from 'vitest';
import { erf, erfc, roundEven, softplus } from '../../../../task-server/kernels/numeric-functions.ts';

describe('erf and erfc', () => {
  it.each([
    [0.1, 0.1124629160182849, 0.8875370839817152],
    [0.5, 0.5204998778130465, 0.4795001221869535],
    [1.9, 0.9927904292352575, 0.0072095707647425],
    [2.1, 0.997020533343667, 0.002979466656333],
    [5, 0.9999999999984626, 1.5374597944280349e-12],
  ])('at %d', (x, error, complement) => {
    expect(erf(x)).toBeCloseTo(error, 14);
    expect(erf(-x)).toBeCloseTo(-error, 14);
    expect(erfc(x) / complement).toBeCloseTo(1, 12);
    expect(erfc(-x)).toBeCloseTo(2 - complement, 14);
  });

  it('end at the borders', () => {
    expect([erf(0), erf(Number.POSITIVE_INFINITY), erfc(Number.NEGATIVE_INFINITY), erfc(30)]).toEqual([0, 1, 2, expect.any(Number)]);
    expect(erf(Number.NaN)).toBeNaN();
  });
});

describe('roundEven', () => {
  it('takes halves to the even neighbour and keeps the sign of zero', () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -0.2, 4503599627370497].map(roundEven)).toEqual([0, 2, 2, -0, -2, -2, -0, 4503599627370497]);
  });
});

describe('softplus', () => {
  it('neither overflows nor vanishes', () => {
    expect(softplus(1000)).toBe(1000);
    expect(softplus(-700)).toBeGreaterThan(0);
    expect(softplus(0)).toBe(Math.LN2);
  });
});
