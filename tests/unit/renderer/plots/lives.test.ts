import { describe, expect, it } from 'vitest';
import { indexAt, splitLives, valueAt } from '../../../../renderer/plots/lives.ts';

const points = (steps: readonly number[], values: readonly number[]) => ({
  steps: Float64Array.from(steps),
  values: Float64Array.from(values),
});

describe('splitLives', () => {
  it('is one life while steps rise or stay', () => {
    expect(splitLives(points([0, 1, 1, 5], [1, 2, 3, 4]))).toHaveLength(1);
  });

  it('begins a new life where steps go back', () => {
    const lives = splitLives(points([0, 1, 2, 0, 1], [1, 2, 3, 7, 8]));
    expect(lives.map(({ values }) => [...values])).toEqual([
      [1, 2, 3],
      [7, 8],
    ]);
  });

  it('U07: begins a new life at the first sample after a task was restarted, though steps go on', () => {
    const live = { ...points([0, 1, 2, 3, 4], [1, 2, 3, 0, 1]), times: Float64Array.of(100, 200, 300, 400, 500) };
    expect(splitLives(live, [350]).map(({ values }) => [...values])).toEqual([
      [1, 2, 3],
      [0, 1],
    ]);
    expect(splitLives(live, [50, 500, 600])).toHaveLength(2);
    expect(splitLives(live, [])).toHaveLength(1);
  });

  it('has no life without a sample', () => {
    expect(splitLives(points([], []))).toEqual([]);
  });
});

it('indexAt finds the last step that is not above', () => {
  const steps = Float64Array.of(2, 4, 4, 8);
  expect([1, 2, 3, 4, 7, 8, 99].map((step) => indexAt(steps, step))).toEqual([-1, 0, 0, 2, 2, 3, 3]);
});

describe('valueAt', () => {
  const lives = splitLives(points([0, 10, 20, 0, 10], [1, 2, 3, 7, 8]));

  it('is that of the newest life that has the step', () => {
    expect(valueAt(lives, 10)).toBe(8);
    expect(valueAt(lives, 4)).toBe(7);
  });

  it('is that of the older life where the newer has not come yet', () => {
    expect(valueAt(lives, 15)).toBe(2);
  });

  it('is the last one behind the end, and none before the beginning', () => {
    expect(valueAt(splitLives(points([5, 6], [1, 2])), 99)).toBe(2);
    expect(valueAt(splitLives(points([5, 6], [1, 2])), 4)).toBeUndefined();
  });

  it('shows what is not finite as it is', () => {
    expect(valueAt(splitLives(points([0, 1], [1, Number.NaN])), 1)).toBeNaN();
  });
});
