import { describe, expect, it } from 'vitest';
import { type DifferenceBound, raised, rangesFrom, slackOf, tightest } from '#proto/wire/clocks/difference-bounds.ts';

const bound = (from: string, to: string, most: number): DifferenceBound => ({ from, to, most });

describe('bounds on differences', () => {
  it('are kept once for each pair, and only as numbers', () => {
    const given = [bound('a', 'b', 5), bound('a', 'b', 3), bound('b', 'a', 5), bound('a', 'b', Number.NaN), bound('a', 'c', -Infinity)];
    expect(tightest(given)).toEqual([bound('a', 'b', 3), bound('b', 'a', 5)]);
  });

  it('give ranges along chains, open where nothing bounds them', () => {
    const range = rangesFrom('a', [bound('a', 'b', 5), bound('b', 'a', -3), bound('b', 'c', 1), bound('d', 'a', 7)]);
    expect([range('a'), range('b'), range('c'), range('d'), range('e')]).toEqual([
      { least: -0, most: 0 },
      { least: 3, most: 5 },
      { least: -Infinity, most: 6 },
      { least: -7, most: Infinity },
      { least: -Infinity, most: Infinity },
    ]);
  });

  it('that agree need no slack', () => {
    expect(slackOf([bound('a', 'b', -2), bound('b', 'a', 2)])).toBe(0);
    expect(slackOf([])).toBe(0);
  });

  it('that contradict each other are raised by as little as makes them agree', () => {
    const cycle = [bound('a', 'b', -10), bound('b', 'c', 1), bound('c', 'a', -3)];
    const slack = slackOf(cycle);
    expect(slack).toBeGreaterThanOrEqual(4);
    expect(slack).toBeLessThan(4.5);
    const { least, most } = rangesFrom('a', raised(cycle, slack))('c');
    expect(most).toBeGreaterThanOrEqual(least - 0.01);
  });

  it('of clocks that are ages apart come to an end', () => {
    const ages = 1.7e15;
    expect(slackOf([bound('a', 'b', -ages), bound('b', 'a', -ages)])).toBeCloseTo(ages, -3);
  });
});
