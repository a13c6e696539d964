import { expect, it } from 'vitest';
import { hasWords, rankByWords } from '../../../../renderer/components/words.ts';

it('wants all words, in any order and case', () => {
  expect(hasWords('Linear regression on one server', 'SERVER lin')).toBe(true);
  expect(hasWords('Linear regression on one server', 'server two')).toBe(false);
  expect(hasWords('anything', '  ')).toBe(true);
});

it('puts what begins with the word before what has it somewhere', () => {
  const found = rankByWords(['Rerun', 'Start a run', 'Runs', 'Stop'], 'run', (text) => text);
  expect(found).toEqual(['Runs', 'Start a run', 'Rerun']);
});
