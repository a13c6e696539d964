import { expect, it } from 'vitest';
import { Rate } from '../../../../renderer/stores/run-rate.ts';

it('is what came in the last seconds, by time', () => {
  const rate = new Rate();
  for (let second = 0; second <= 20; second++) rate.add(second * 1000, second < 10 ? second * 100 : 1000 + (second - 10) * 4);
  expect(rate.at(20_000)).toBeCloseTo(4);
});

it('falls to nothing when nothing comes', () => {
  const rate = new Rate();
  rate.add(0, 0);
  rate.add(1000, 50);
  expect(rate.at(2000)).toBe(25);
  expect(rate.at(60_000)).toBe(0);
});

it('is not known before there is something to compare', () => {
  const rate = new Rate();
  expect(rate.at(0)).toBeUndefined();
  rate.add(0, 7);
  expect(rate.at(500)).toBeUndefined();
});

it('begins anew when the count does', () => {
  const rate = new Rate();
  rate.add(0, 1000);
  rate.add(1000, 0);
  rate.add(2000, 10);
  expect(rate.at(2000)).toBe(10);
});
