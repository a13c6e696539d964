import { expect, it } from 'vitest';
import { checkFeed } from '../../../../renderer/stores/run-feed.ts';

it.each([
  ['1.5', 'float[]'],
  ['[1, "NaN", "-Infinity"]', 'float[?]'],
  ['[[1, 2], [3, 4]]', 'int32[2,?]'],
  ['[[1], [2], [3]]', 'double'],
  ['[1]', 'float[…]'],
  ['"text"', 'string[]'],
  ['[true, false]', 'bool[2]'],
  ['[[], []]', 'float[2,0]'],
  ['[1, "a"]', ''],
])('takes %s for %s', (json, type) => {
  expect(checkFeed(json, type)).toBeUndefined();
});

it.each([
  ['[1, 2', 'float[2]', 'noJson'],
  ['[[1], [2, 3]]', 'float[2,?]', 'ragged'],
  ['[[1], 2]', 'float', 'ragged'],
  ['1', 'float[1]', 'shape'],
  ['[1, 2, 3]', 'float[2]', 'shape'],
  ['1.5', 'int32[]', 'element'],
  ['"1"', 'int64[]', 'element'],
  ['"x"', 'float[]', 'element'],
  ['1', 'bool[]', 'element'],
  ['null', '', 'element'],
])('minds %s for %s: %s', (json, type, kind) => {
  expect(checkFeed(json, type)?.kind).toBe(kind);
});

it('says what was wanted and what was given', () => {
  expect(checkFeed('[1, 2]', 'float[2,?]')).toEqual({ kind: 'shape', wanted: '[2, ?]', got: '[2]' });
});
