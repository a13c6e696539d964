import { expect, it } from 'vitest';
import { GrowingColumns } from '../../../../renderer/stores/growing-columns.ts';

const samples = (from: number, count: number, time = 1000) => ({
  steps: Float64Array.from({ length: count }, (_, at) => from + at),
  values: Float64Array.from({ length: count }, (_, at) => (from + at) * 2),
  times: Float64Array.from({ length: count }, (_, at) => time + from + at),
});

it('grows beyond its first room and keeps all samples', () => {
  const columns = new GrowingColumns('client', 'var');
  for (let from = 0; from < 5000; from += 7) columns.append(samples(from, 7));
  const { steps, values } = columns.columns;
  expect(steps.length).toBe(5005);
  expect(steps.every((step, at) => step === at && values[at] === 2 * at)).toBe(true);
});

it('takes two samples of one step in the same millisecond as two', () => {
  const columns = new GrowingColumns('client', 'var');
  columns.append(samples(0, 1));
  columns.append(samples(0, 1));
  expect(columns.length).toBe(2);
});

it('takes steps again that are later in time: the program began anew', () => {
  const columns = new GrowingColumns('client', 'var');
  columns.append(samples(0, 3));
  columns.append(samples(0, 2, 9000));
  expect([...columns.columns.steps]).toEqual([0, 1, 2, 0, 1]);
});

it('does not change what it has handed out', () => {
  const columns = new GrowingColumns('client', 'var');
  columns.append(samples(0, 2));
  const before = columns.columns;
  columns.append(samples(2, 400));
  expect([...before.steps]).toEqual([0, 1]);
});
