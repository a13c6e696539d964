import { expect, it } from 'vitest';
import { highlight } from '../../../../renderer/features/programs/highlight.ts';

const source = "/** const */\nconst name = 'a // b'; // end\nreturn `x y` + 42;\n";

it('is the text again, in pieces', () => {
  expect(
    highlight(source)
      .map(({ text }) => text)
      .join(''),
  ).toBe(source);
});

it('knows comments, texts, words of the language and numbers, and what is inside which', () => {
  const pieces = highlight(source).filter(({ kind }) => kind !== 'plain');
  expect(pieces.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'comment: /** const */',
    'keyword: const',
    "string: 'a // b'",
    'comment: // end',
    'keyword: return',
    'string: `x y`',
    'number: 42',
  ]);
});
