import { expect, it } from 'vitest';
import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { spliceDetail } from '../../../../renderer/stores/splice-series.ts';

const columns = (...steps: readonly number[]): SeriesColumns => ({
  client: 'client',
  name: 'var',
  steps: Float64Array.from(steps),
  values: Float64Array.from(steps, (step) => -step),
  times: Float64Array.from(steps),
});

it('replaces the steps of the range and keeps those around it', () => {
  const [spliced] = spliceDetail([columns(0, 10, 20, 30, 40)], { from: 10, to: 30, series: [columns(10, 14, 18, 22, 30)] });
  expect([...(spliced?.steps ?? [])]).toEqual([0, 10, 14, 18, 22, 30, 40]);
  expect(spliced?.values[2]).toBe(-14);
});

it('keeps what the core has not thinned, or has none of', () => {
  const all = [columns(0, 10)];
  expect(spliceDetail(all, undefined)).toBe(all);
  expect(spliceDetail(all, { from: 0, to: 5, series: [] })).toEqual(all);
});

it('keeps a series whose steps go back', () => {
  const all = [columns(0, 10, 0, 10)];
  expect(spliceDetail(all, { from: 0, to: 5, series: [columns(0, 1, 2)] })).toEqual(all);
});
