import { expect, it } from 'vitest';
import { formatBytes, formatCountdown, formatDuration, formatValue } from '../../../../renderer/components/number.ts';

it.each([
  [0, '0'],
  [10, '10'],
  [0.1000001, '0.1'],
  [0.30000000000000004, '0.3'],
  [1234567, '1\u202f234\u202f567'],
  [-2.5, '−2.5'],
  [1.785e-8, '1.785e−8'],
  [3e12, '3e12'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '∞'],
  [Number.NEGATIVE_INFINITY, '−∞'],
])('formatValue(%d) is %s', (value, text) => {
  expect(formatValue(value)).toBe(text);
});

it.each([
  [0, '0 B'],
  [32, '32 B'],
  [62_000_000, '62 MB'],
  [1_500, '1.5 kB'],
  [32e9, '32 GB'],
])('formatBytes(%d) is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [380, '0.4 s'],
  [12_300, '12 s'],
  [59_700, '1 min 0 s'],
  [185_000, '3 min 5 s'],
  [7_440_000, '2 h 4 min'],
])('formatDuration(%d) is %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

it.each([
  [-5, '0:00'],
  [1, '0:01'],
  [872_000, '14:32'],
  [3_600_000, '1:00:00'],
  [28_799_001, '8:00:00'],
])('formatCountdown(%d) is %s', (milliseconds, text) => {
  expect(formatCountdown(milliseconds)).toBe(text);
});
