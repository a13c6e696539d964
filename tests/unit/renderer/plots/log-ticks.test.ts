import { expect, it } from 'vitest';
import { logTicks } from '../../../../renderer/plots/log-ticks.ts';

it.each([
  ['two powers: 1, 2 and 5 of each', 0.9, 60, 10, [1, 2, 5, 10, 20, 50]],
  ['many powers: the powers alone', 0.01, 1000, 6, [0.01, 0.1, 1, 10, 100, 1000]],
  ['too many powers: every so many', 1e-9, 1e3, 5, [1e-9, 1e-6, 1e-3, 1, 1e3]],
  ['nothing that is not positive', -1, 10, 5, []],
  ['nothing for an empty range', 5, 5, 5, []],
])('has %s', (_case, low, high, most, ticks) => {
  expect(logTicks(low, high, most)).toEqual(ticks);
});

it('never has more than asked for', () => {
  for (let power = 1; power < 30; power++) expect(logTicks(10 ** -power, 10 ** power, 6).length).toBeLessThanOrEqual(7);
});
