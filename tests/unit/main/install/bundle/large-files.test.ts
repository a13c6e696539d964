import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compressLarge, EXPAND } from '../../../../../main/install/bundle/large-files.ts';
import { quote } from '../../../../../main/install/remote/shell.ts';

describe('a file of a bundle', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow large-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const entry = (name: string, content: Buffer) => {
    writeFileSync(join(folder, name), content);
    return { name: `lib/${name}`, isExecutable: false, size: content.length, source: join(folder, name) };
  };

  it('that is large is packed smaller, and expanded by the Node that comes with it', async () => {
    const content = Buffer.from('some words of a library, '.repeat(400_000));
    const packed = await compressLarge(entry('large.so', content), join(folder, 'packed'));
    expect(packed).toMatchObject({ name: 'lib/large.so.br', isExecutable: false, source: join(folder, 'packed') });
    expect(packed.size).toBeLessThan(content.length / 100);
    const there = join(folder, 'there $HOME');
    mkdirSync(join(there, 'lib'), { recursive: true });
    renameSync(packed.source, join(there, packed.name));
    writeFileSync(join(there, 'lib', 'small.js'), 'small');
    execFileSync('sh', { input: `${quote(process.execPath)} -e ${quote(EXPAND)} ${quote(there)}` });
    expect(readdirSync(join(there, 'lib')).sort()).toEqual(['large.so', 'small.js']);
    expect(readFileSync(join(there, 'lib', 'large.so')).equals(content)).toBe(true);
  });

  it('that is small stays as it is', async () => {
    const small = entry('small.js', Buffer.from('small'));
    expect(await compressLarge(small, join(folder, 'packed'))).toBe(small);
  });

  it('is expanded by a program that stands in any quotation marks', () => {
    expect(EXPAND).not.toMatch(/['"`%]/);
  });
});
