import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf, offsetOf } from '../../../../../renderer/components/code-editor/diagnostics.ts';

const doc = Text.of(['ab', '', 'cdef']);

describe('places of a text', () => {
  it.each([
    [1, 1, 0],
    [1, 3, 2],
    [3, 2, 5],
    [3, 99, 8],
    [99, 1, 4],
    [0, 0, 0],
  ])('line %d, column %d is offset %d', (line, column, offset) => {
    expect(offsetOf(doc, line, column)).toBe(offset);
  });

  it('underlines at least a character, and stays inside a text that has become shorter', () => {
    const at = (line: number, column: number, endLine: number, endColumn: number) =>
      diagnosticsOf(doc, [{ severity: 'error', line, column, endLine, endColumn, text: 'x' }]).map(({ from, to }) => [from, to])[0];
    expect(at(3, 1, 3, 3)).toEqual([4, 6]);
    expect(at(3, 1, 3, 1)).toEqual([4, 5]);
    expect(at(3, 5, 3, 5)).toEqual([7, 8]);
    expect(at(2, 1, 2, 1)).toEqual([3, 3]);
    expect(at(7, 1, 9, 1)).toEqual([4, 5]);
  });
});
