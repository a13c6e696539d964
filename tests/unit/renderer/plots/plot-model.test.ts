import { describe, expect, it } from 'vitest';
import { modelPlot, type PlotSeries } from '../../../../renderer/plots/plot-model.ts';

function series(id: string, steps: readonly number[], values: readonly number[]): PlotSeries {
  return { id, label: id, color: 'red', dash: [], points: { steps: Float64Array.from(steps), values: Float64Array.from(values) } };
}

const plain = { log: false, smoothing: 0 };

describe('modelPlot', () => {
  it('U01: has a gap and a mark, with its kind and steps, where a value is not finite', () => {
    const { columns, marks } = modelPlot(
      [series('var', [0, 1, 2, 3, 4, 5], [1, Number.NaN, Number.NaN, 4, Number.NEGATIVE_INFINITY, 6])],
      plain,
    );
    expect(columns).toEqual([[1, null, null, 4, null, 6]]);
    expect(marks.map(({ kind, from, to, count }) => ({ kind, from, to, count }))).toEqual([
      { kind: 'NaN', from: 1, to: 2, count: 2 },
      { kind: '-Inf', from: 4, to: 4, count: 1 },
    ]);
  });

  it('has a gap, and says so, where a logarithmic axis has no place for a value', () => {
    const { columns, marks } = modelPlot([series('loss', [0, 1, 2], [1, 0, 0.1])], { log: true, smoothing: 0 });
    expect(columns).toEqual([[1, null, 0.1]]);
    expect(marks.map(({ kind }) => kind)).toEqual(['notPositive']);
  });

  it('U07: does not join what was before a restart with what comes after', () => {
    const { lines, steps, columns, marks } = modelPlot([series('var', [0, 1, 2, 0, 1], [5, 6, 7, 0, 1])], plain);
    expect(lines).toHaveLength(2);
    expect(steps).toEqual([0, 1, 2]);
    expect(columns).toEqual([
      [5, 6, 7],
      [0, 1, undefined],
    ]);
    expect(marks.map(({ kind, from }) => ({ kind, from }))).toEqual([{ kind: 'restart', from: 0 }]);
  });

  it('leaves out, but does not tear, a line at steps that only others have', () => {
    const { steps, columns } = modelPlot([series('a', [0, 2, 4], [1, 2, 3]), series('b', [1, 2], [8, 9])], plain);
    expect(steps).toEqual([0, 1, 2, 4]);
    expect(columns).toEqual([
      [1, undefined, 2, 3],
      [undefined, 8, 9, undefined],
    ]);
  });

  it('draws smoothed lines besides the raw ones, never instead of them', () => {
    const { lines, columns } = modelPlot([series('a', [0, 1], [0, 1])], { log: false, smoothing: 0.5 });
    expect(lines.map(({ kind }) => kind)).toEqual(['raw', 'smooth']);
    expect(columns[0]).toEqual([0, 1]);
    expect(columns[1]?.[1]).toBeCloseTo(2 / 3);
  });

  it('has nothing to draw without series', () => {
    expect(modelPlot([], plain)).toEqual({ lines: [], steps: [], columns: [], marks: [] });
  });
});
