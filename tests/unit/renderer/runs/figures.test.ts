import { expect, it } from 'vitest';
import { figureRows, figuresCsv } from '../../../../renderer/features/runs/figures.ts';

const series = (label: string, steps: readonly number[], values: readonly number[]) => ({
  id: label,
  label,
  color: '',
  dash: [],
  points: { steps: Float64Array.from(steps), values: Float64Array.from(values) },
});
const both = [series('weight', [0, 1, 2], [0.1, 1.785e-8, Number.NaN]), series('bias, "b"', [1, 3], [5, 6])];

it('has a row for each step in sight at which a series has a sample', () => {
  expect(figureRows(both, 1, 2)).toEqual([
    { step: 1, values: [1.785e-8, 5] },
    { step: 2, values: [Number.NaN, undefined] },
  ]);
});

it('U02: copies all digits, quotes what must be quoted and leaves missing cells empty', () => {
  expect(figuresCsv(both).split('\r\n')).toEqual(['step,weight,"bias, ""b"""', '0,0.1,', '1,1.785e-8,5', '2,NaN,', '3,,6']);
});
