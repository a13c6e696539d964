import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommandLine, readOpenedFile } from '../../../../main/app/opened-files.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-open-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a command line', () => {
  it('may name files and ask for the demo; the app itself and flags of Electron are no files', () => {
    const argv = ['/opt/electron', '--no-sandbox', '/app/index.cjs', '--demo', 'a run.zip', '/b.zip'];
    expect(parseCommandLine(argv, '/home/u', '/app/index.cjs')).toEqual({ runDemo: true, files: ['/home/u/a run.zip', '/b.zip'] });
  });

  it('of a packaged app has no path of the app', () => {
    expect(parseCommandLine(['/opt/lanflow', 'a.zip'], '/d', '/app/index.cjs')).toEqual({ runDemo: false, files: ['/d/a.zip'] });
  });

  it('of a desktop icon names files by URL', () => {
    const { files } = parseCommandLine(['/opt/lanflow', 'file:///home/u/a%20run.lanflowrun'], '/', '/app/index.cjs');
    expect(files).toEqual(['/home/u/a run.lanflowrun']);
  });
});

describe('an opened file', () => {
  it('is handed over with its name', () => {
    const path = join(folder, 'bundle.zip');
    writeFileSync(path, 'abc');
    expect(readOpenedFile(path)).toEqual({ path, name: 'bundle.zip', content: Buffer.from('abc') });
  });

  it('that is far too large is refused', () => {
    const path = join(folder, 'large.zip');
    writeFileSync(path, '');
    truncateSync(path, 2 ** 30 + 1);
    expect(() => readOpenedFile(path)).toThrow(/1073741825 bytes/);
  });
});
