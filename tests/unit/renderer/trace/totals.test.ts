import { describe, expect, it } from 'vitest';
import { sortTotals, totalsBy } from '../../../../renderer/features/trace/totals.ts';
import { traceDevice } from './trace-of.ts';

const lanes = [
  traceDevice('/job:worker/task:10', [{ name: 'mul', op: 'Mul', start: 0, end: 30, bytes: 400 }]),
  traceDevice('/job:worker/task:9', [
    { name: 'mul', op: 'Mul', start: 10, end: 20, bytes: 100, waited: 4 },
    { name: 'add', op: 'Add', start: 20, end: 80 },
  ]),
];

describe('totals of a trace', () => {
  it('add up by op, node and device', () => {
    expect(totalsBy('op', lanes)).toEqual([
      { key: 'Mul', count: 2, time: 40, longest: 30, waited: 4, bytes: 500, share: 0.4 },
      { key: 'Add', count: 1, time: 60, longest: 60, waited: 0, bytes: 0, share: 0.6 },
    ]);
    expect(totalsBy('node', lanes).map(({ key, time }) => [key, time])).toEqual([
      ['mul', 40],
      ['add', 60],
    ]);
    expect(totalsBy('device', lanes).map(({ time }) => time)).toEqual([30, 70]);
    expect(totalsBy('op', [])).toEqual([]);
  });

  it('have no share of nothing', () => {
    expect(totalsBy('op', [traceDevice('d', [{ start: 5, end: 5 }])])[0]?.share).toBe(0);
  });

  it('are sorted by any column, task 10 after task 9', () => {
    const devices = totalsBy('device', lanes);
    expect(sortTotals(devices, 'key', false).map(({ key }) => key)).toEqual(['/job:worker/task:9', '/job:worker/task:10']);
    expect(sortTotals(devices, 'time', true).map(({ time }) => time)).toEqual([70, 30]);
    expect(sortTotals(devices, 'bytes', false).map(({ bytes }) => bytes)).toEqual([100, 400]);
  });
});
