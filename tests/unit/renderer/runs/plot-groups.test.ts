import { describe, expect, it } from 'vitest';
import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { deviceColor } from '../../../../renderer/components/device.ts';
import { oneAxis } from '../../../../renderer/features/runs/axes.ts';
import { groupSeries, overlaySeries } from '../../../../renderer/features/runs/plot-groups.ts';

const worker = (index: number) => `/job:worker/replica:0/task:${index}`;
const columns = (client: string, name: string): SeriesColumns => ({
  client,
  name,
  steps: new Float64Array(),
  values: new Float64Array(),
  times: new Float64Array(),
});

describe('groupSeries', () => {
  const betweenGraph = [columns(worker(0), 'loss'), columns(worker(1), 'loss'), columns(worker(0), 'accuracy')];

  it('has a plot for each name, with its clients in their own colours', () => {
    const groups = groupSeries(betweenGraph);
    expect(groups.map(({ title }) => title)).toEqual(['loss', 'accuracy']);
    expect(groups[0]?.series.map(({ label, color }) => [label, color])).toEqual([
      ['worker 0', deviceColor(worker(0))],
      ['worker 1', deviceColor(worker(1))],
    ]);
  });

  it('has all on one axis, names told apart by dashes', () => {
    const [group, ...others] = groupSeries(betweenGraph, { axes: oneAxis(['loss', 'accuracy']) });
    expect(others).toEqual([]);
    expect(group?.series.map(({ label }) => label)).toEqual(['loss · worker 0', 'loss · worker 1', 'accuracy · worker 0']);
    expect(group?.series[0]?.dash).not.toEqual(group?.series[2]?.dash);
  });

  it('has the names that share an axis in one plot, the others in their own', () => {
    const groups = groupSeries([...betweenGraph, columns(worker(0), 'lr')], { axes: { accuracy: 'loss' } });
    expect(groups.map(({ id, title, names }) => [id, title, names])).toEqual([
      ['loss', 'loss, accuracy', ['loss', 'accuracy']],
      ['lr', 'lr', ['lr']],
    ]);
    expect(groups[1]?.series.map(({ label, dash }) => [label, dash])).toEqual([['worker 0', []]]);
  });

  it('has a colour for each series of the only client', () => {
    const series = groupSeries([columns('client', 'weight'), columns('client', 'bias')], { axes: oneAxis(['weight', 'bias']) }).flatMap(
      (group) => group.series,
    );
    expect(series.map(({ label }) => label)).toEqual(['weight', 'bias']);
    expect(new Set(series.map(({ color }) => color)).size).toBe(2);
  });
});

it('overlaySeries has a colour for each run, and both in one plot', () => {
  const run = (title: string) => ({ title, series: [columns('client', 'loss')] });
  const [group] = overlaySeries([run('first'), run('second')]);
  expect(group?.series.map(({ label }) => label)).toEqual(['first', 'second']);
  expect(new Set(group?.series.map(({ color }) => color)).size).toBe(2);
  expect(new Set(group?.series.map(({ id }) => id)).size).toBe(2);
});
