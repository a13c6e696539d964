import { expect, it } from 'vitest';
import { panRange, zoomRange } from '../../../../renderer/plots/range.ts';

it('zooms around the cursor', () => {
  expect(zoomRange([0, 100], 0.5, 20, [0, 100])).toEqual([10, 60]);
});

it('never shows what is not there', () => {
  expect(zoomRange([40, 60], 100, 50, [0, 100])).toEqual([0, 100]);
  expect(panRange([60, 80], 2, [0, 100])).toEqual([80, 100]);
  expect(panRange([60, 80], -9, [0, 100])).toEqual([0, 20]);
});

it('moves by a share of what is in sight', () => {
  expect(panRange([20, 40], 0.5, [0, 100])).toEqual([30, 50]);
});
