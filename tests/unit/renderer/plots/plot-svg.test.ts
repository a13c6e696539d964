import { expect, it } from 'vitest';
import { modelPlot, type PlotSeries } from '../../../../renderer/plots/plot-model.ts';
import { plotSvg } from '../../../../renderer/plots/plot-svg.ts';

const series = (label: string, values: readonly number[]): PlotSeries => ({
  id: label,
  label,
  color: 'blue',
  dash: [],
  points: { steps: Float64Array.from(values, (_, at) => at), values: Float64Array.from(values) },
});
const draw = (values: readonly number[], log = false) =>
  plotSvg({
    title: 'a < b',
    model: modelPlot([series('v & w', values)], { log, smoothing: 0 }),
    log,
    width: 400,
    height: 200,
    color: () => '#00f',
  });

/** The path of the line. */
const curve = (svg: string) => /<path d="([^"]*)" fill="none"/.exec(svg)?.[1] ?? '';

it('draws from the lower left to the upper right corner of its axes', () => {
  expect(curve(draw([0, 1, 2]))).toBe('M72 170L228 109L384 48');
});

it('U01: lifts the pen over a gap', () => {
  expect(curve(draw([0, 1, Number.NaN, 1, 0]))).toMatch(/^M\S+ \S+L\S+ \S+M\S+ \S+L\S+ \S+$/);
});

it('has powers of ten at equal distances on a logarithmic axis', () => {
  const heights = [...curve(draw([1, 10, 100], true)).matchAll(/ ([\d.]+)/g)].map(([, y]) => Number(y));
  expect(heights).toEqual([170, 109, 48]);
});

it('writes titles and names as texts, not as tags', () => {
  const svg = draw([0, 1]);
  expect(svg).toContain('a &#60; b');
  expect(svg).toContain('v &#38; w');
});

it('is a picture even with nothing, or one value, to draw', () => {
  expect(draw([])).not.toContain('NaN');
  expect(draw([5])).not.toContain('NaN');
});
