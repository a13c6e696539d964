import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

function sentencesOf(fixture: string): unknown {
  const args = ['scripts/sentences.mjs', '--of', `tests/fixtures/sentences/${fixture}`];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

it('finds what errors are made with, and whatever else people read', () => {
  expect(sentencesOf('said.ts')).toEqual([
    '{0} is gone',
    'lost',
    '{0}: broken',
    'the disk is full',
    'No file {0}, so look for it there or make it',
    '{0} file more',
    '{0} files more',
    '{0} is empty',
    'The file is empty',
    'It has a dot',
    'It has no dot',
    '{0} is pinned there',
    '{0} are pinned there',
    '{0} stands there',
    '{0} stand there',
    'Missing: {0}',
    'it was there for too long',
  ]);
});

it('leaves out logs, names, what is compared, and code', () => {
  expect(sentencesOf('unsaid.ts')).toEqual([]);
});
