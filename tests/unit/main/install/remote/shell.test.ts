import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quote } from '../../../../../main/install/remote/shell.ts';

describe('a word for sh', () => {
  it.each([
    '',
    'plain',
    `it's "quoted"`,
    '$HOME `id` $(id) \\ \\n %s !! * ? [a] {a,b} ~',
    ' spaces  and\ttabs ',
    'two\nlines',
    "''''",
    '-n',
    'ü 中文',
  ])('%j arrives as it is', (text) => {
    for (const shell of ['sh', 'bash']) {
      expect(execFileSync(shell, { input: `printf '%s.' ${quote(text)}`, encoding: 'utf8' })).toBe(`${text}.`);
    }
  });
});
