import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStaticFile } from '../../../../main/app/static-files.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-files-'));
  mkdirSync(join(folder, 'window', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'window', 'index.html'), '<p>');
  writeFileSync(join(folder, 'window', 'assets', 'a b.js'), 'a');
  writeFileSync(join(folder, 'window', 'notes.txt'), 'private');
  writeFileSync(join(folder, 'secret.json'), '{}');
  mkdirSync(join(folder, 'window-other'));
  writeFileSync(join(folder, 'window-other', 'x.js'), 'x');
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string) => readStaticFile(join(folder, 'window'), `app://lanflow/${path}`);

describe('files of the window', () => {
  it('have the type of their ending', async () => {
    expect(await read('index.html')).toMatchObject({ type: 'text/html; charset=utf-8', content: Buffer.from('<p>') });
    expect(await read('assets/a%20b.js?v=1#x')).toMatchObject({ type: 'text/javascript; charset=utf-8' });
  });

  it.each([
    ['missing', 'missing.js'],
    ['of another kind', 'notes.txt'],
    ['the folder itself', ''],
    ['above the folder', '..%2fsecret.json'],
    ['above, with backslashes in the encoding', '%2e%2e/secret.json'],
    ['in a folder whose name begins alike', '..%2fwindow-other/x.js'],
    ['with a zero byte', 'index%00.html'],
    ['badly encoded', '%zz.html'],
  ])('are not found when %s', async (_what, path) => {
    expect(await read(path)).toBeUndefined();
  });
});
