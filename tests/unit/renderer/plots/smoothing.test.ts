import { expect, it } from 'vitest';
import { smooth } from '../../../../renderer/plots/smoothing.ts';

it('leaves values alone at weight 0', () => {
  expect([...smooth(Float64Array.of(3, 1, 2), 0)]).toEqual([3, 1, 2]);
});

it('keeps a constant constant from the first value on', () => {
  for (const value of smooth(new Float64Array(50).fill(7), 0.9)) expect(value).toBeCloseTo(7, 12);
});

it('lies between the values before', () => {
  const [, second] = smooth(Float64Array.of(0, 1), 0.5);
  expect(second).toBeCloseTo(2 / 3, 12);
});

it('leaves what is not finite where it is, and its neighbours unharmed', () => {
  expect([...smooth(Float64Array.of(1, Number.NaN, Number.POSITIVE_INFINITY, 1), 0.9)]).toEqual([
    1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1,
  ]);
});
