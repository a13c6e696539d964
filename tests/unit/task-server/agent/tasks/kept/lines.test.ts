import { expect, it } from 'vitest';
import { Lines } from '../../../../../../task-server/agent/tasks/kept/lines.ts';

/** Feeds a text in pieces of so many bytes. */
function split(text: string, size: number) {
  const lines = new Lines();
  const bytes = Buffer.from(text);
  const found = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    found.push(...lines.split(piece, at + piece.length));
  }
  return { found, lines };
}

it.each([1, 2, 3, 5, 100])('lines are put together from pieces of %i bytes, with the offset behind each', (size) => {
  const { found, lines } = split('ä\n\nlong 😀 line\r\nrest', size);
  expect(found).toEqual([
    { text: 'ä', end: 3 },
    { text: '', end: 4 },
    { text: 'long 😀 line', end: 20 },
  ]);
  expect(lines.isWithin).toBe(true);
});

it('a line that never ends takes no more memory than its limit, and the next one is whole', () => {
  const { found, lines } = split(`${'x'.repeat(1_000_000)}\nnext\n`, 65_536);
  expect(found.map(({ text }) => text.length)).toEqual([65_536, 4]);
  expect([found.at(-1)?.end, lines.isWithin]).toEqual([1_000_006, false]);
});
