import { expect, it } from 'vitest';
import { virtualRange } from '../../../../renderer/components/virtual-range.ts';

it('has the rows in sight, and few others, of a long list', () => {
  const { first, end } = virtualRange(100_000, 20, 40_000, 400);
  expect(first).toBeLessThanOrEqual(2000);
  expect(end).toBeGreaterThanOrEqual(2020);
  expect(end - first).toBeLessThan(50);
});

it('has all rows of a short list, and none of an empty one', () => {
  expect(virtualRange(3, 20, 0, 400)).toEqual({ first: 0, end: 3 });
  expect(virtualRange(0, 20, 0, 400)).toEqual({ first: 0, end: 0 });
});

it('has rows after the list became shorter than it was scrolled', () => {
  const { first, end } = virtualRange(5, 20, 90_000, 400);
  expect({ first, end }).toEqual({ first: 4, end: 5 });
});
