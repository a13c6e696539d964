import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packTar, type TarEntry } from '../../../../../main/install/bundle/tar.ts';

describe('a tar archive', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-tar-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function entry(name: string, content: string, isExecutable = false): TarEntry {
    const source = join(folder, name.replaceAll('/', '+'));
    writeFileSync(source, content);
    return { name, isExecutable, size: Buffer.byteLength(content), source };
  }

  async function pack(entries: readonly TarEntry[]): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of packTar(entries)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  it('is unpacked by tar: empty, block-sized and long files, long names, modes', async () => {
    const long = `${'deep/'.repeat(25)}${'n'.repeat(60)}`;
    const files = [
      entry('empty', ''),
      entry('bin/run', '#!/bin/sh\n', true),
      entry('block', 'x'.repeat(512)),
      entry('more', 'y'.repeat(1025)),
      entry(long, 'ü'),
    ];
    writeFileSync(join(folder, 'out.tar'), await pack(files));
    execFileSync('mkdir', ['out'], { cwd: folder });
    execFileSync('tar', ['-xf', 'out.tar', '-C', 'out'], { cwd: folder });
    for (const { name, source } of files) expect(readFileSync(join(folder, 'out', name), 'utf8')).toBe(readFileSync(source, 'utf8'));
    expect(statSync(join(folder, 'out/bin/run')).mode & 0o111).not.toBe(0);
    expect(statSync(join(folder, 'out/more')).mode & 0o111).toBe(0);
  });

  it('is the same for the same files', async () => {
    const files = [entry('a', 'one'), entry('b', 'two')];
    const first = await pack(files);
    writeFileSync(join(folder, 'a'), 'one');
    expect((await pack(files)).equals(first)).toBe(true);
  });

  it('is refused when a file changes meanwhile, or a name is too long', async () => {
    const changed = entry('a', 'one');
    writeFileSync(join(folder, 'a'), 'longer');
    await expect(pack([changed])).rejects.toThrow('has changed while it was packed');
    await expect(pack([{ ...entry('b', ''), name: 'n'.repeat(101) }])).rejects.toThrow('too long');
  });
});
