import { describe, expect, it } from 'vitest';
import { type Columns, GrowingColumns } from '../../../../main/runs/columns.ts';
import { decimate, FEWEST_POINTS } from '../../../../main/runs/decimate.ts';
import { Random } from '../../../long/support/random.ts';

function columnsOf(values: readonly number[], steps: readonly number[] = [...values.keys()]): GrowingColumns {
  const columns = new GrowingColumns();
  for (const [i, value] of values.entries()) columns.push({ step: steps[i] ?? i, value, time: i });
  return columns;
}

const finite = ({ values }: Columns): number[] => [...values].filter(Number.isFinite);
const kinds = ({ values }: Columns): Set<number> => new Set([...values].filter((value) => !Number.isFinite(value)));

describe('thinning', () => {
  it('keeps ends, extremes, NaN and infinities of any series, in order, within the limit', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const strange = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].slice(0, random.below(4));
      const values = Array.from({ length: random.between(1, 2000) }, () =>
        strange.length > 0 && random.chance(0.01) ? random.pick(strange) : random.below(1_000_000) - 500_000,
      );
      const points = random.between(FEWEST_POINTS, 300);
      const all = columnsOf(values).all();
      const thin = decimate(all, points);
      const because = `seed ${seed}`;
      expect(thin.values.length, because).toBeLessThanOrEqual(Math.max(points, 0));
      expect([thin.steps[0], thin.steps.at(-1)], because).toEqual([0, values.length - 1]);
      expect(Math.max(...finite(thin)), because).toBe(Math.max(...finite(all)));
      expect(Math.min(...finite(thin)), because).toBe(Math.min(...finite(all)));
      expect(kinds(thin), because).toEqual(kinds(all));
      expect([...thin.steps], because).toEqual([...thin.steps].sort((a, b) => a - b));
      for (const [row, step] of thin.steps.entries()) expect(thin.values[row], because).toBe(values[step]);
    }
  });

  it('keeps a single spike in a million points', () => {
    const columns = new GrowingColumns();
    for (let step = 0; step < 1_000_000; step++) columns.push({ step, value: step === 777_777 ? 9 : 1, time: 0 });
    const thin = decimate(columns.all(), 100);
    expect(thin.values.length).toBeLessThanOrEqual(100);
    expect(thin.steps[thin.values.indexOf(9)]).toBe(777_777);
  });

  it.each([FEWEST_POINTS, 20, 100])('keeps each beginning anew, within %i points', (points) => {
    const ever = Array.from({ length: 3000 }, (_, i) => i);
    // The second life goes further than the first, and begins in the middle of a stretch.
    const all = columnsOf(
      ever.map(() => 1),
      ever.map((i) => (i < 1234 ? i : i - 1234)),
    ).all();
    const thin = decimate(all, points);
    expect(thin.steps.length).toBeLessThanOrEqual(points);
    const at = thin.steps.findIndex((step, i) => i > 0 && step < (thin.steps[i - 1] ?? 0));
    expect([thin.steps[at - 1], thin.steps[at]]).toEqual([1233, 0]);
  });

  it('does not keep every beginning of a series that is all beginnings', () => {
    const zigzag = Array.from({ length: 1000 }, (_, i) => i % 2);
    expect(decimate(columnsOf(zigzag, zigzag).all(), 50).steps.length).toBeLessThanOrEqual(50);
  });

  it('leaves short series alone', () => {
    const all = columnsOf([1, Number.NaN, 3]).all();
    expect(decimate(all, 8)).toBe(all);
  });
});

describe('a window of steps', () => {
  it('has both ends, for steps in order and for steps that start anew', () => {
    expect([...columnsOf([0, 1, 2, 3, 4]).between(1, 3).values]).toEqual([1, 2, 3]);
    expect([...columnsOf([10, 11, 12, 13], [0, 5, 0, 5]).between(0, 4).values]).toEqual([10, 12]);
    expect([...columnsOf([1, 2]).between(7, 9).values]).toEqual([]);
  });

  it('stays what it was while the series grows', () => {
    const columns = columnsOf([1, 2, 3]);
    const before = columns.all();
    for (let step = 3; step < 1000; step++) columns.push({ step, value: step, time: 0 });
    expect([...before.values]).toEqual([1, 2, 3]);
    expect(columns.length).toBe(1000);
  });
});
