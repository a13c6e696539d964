import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../../main/runs/import-bundle.ts';

describe('unpacking a bundle', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-unpack-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const zip = (files: Readonly<Record<string, string>>) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  const unpacked = async () => (await readdir(folder, { recursive: true })).sort();

  it.each([['r1/'], ['']])('takes what belongs to a run, and nothing that would lie elsewhere (%j)', async (prefix) => {
    const outside = [
      '../evil.txt',
      '/etc/evil',
      'traces/../../evil.pb',
      'traces/.pb',
      'logs/x.sh',
      'C:\\evil',
      'traces/a\\..\\b.pb',
      'run.json/x',
    ];
    const inside = ['run.json', 'series.arrow', 'traces/trace-1.pb', 'logs/run.ndjson'];
    await unpackBundle(
      'b.zip',
      zip(Object.fromEntries([...outside, ...inside].map((name) => [`${prefix}${name}`, 'x']))),
      join(folder, 'run'),
    );
    expect(await unpacked()).toEqual([
      'run',
      'run/logs',
      'run/logs/run.ndjson',
      'run/run.json',
      'run/series.arrow',
      'run/traces',
      'run/traces/trace-1.pb',
    ]);
  });

  it.each([
    ['no zip file', strToU8('hello'), 'INVALID_ARGUMENT'],
    ['nothing', new Uint8Array(), 'INVALID_ARGUMENT'],
    ['a zip file of something else', zipSync({ 'photo.jpg': strToU8('x') }), 'INVALID_ARGUMENT'],
    ['more than it may hold', zipSync({ 'run.json': new Uint8Array(5000) }), 'RESOURCE_EXHAUSTED'],
    ['half a bundle', zipSync({ 'run.json': strToU8('{"a": 1}') }).subarray(0, 60), 'INVALID_ARGUMENT'],
  ])('refuses %s', async (_, content, codeName) => {
    await expect(unpackBundle('b.zip', content, join(folder, 'run'), 4000)).rejects.toMatchObject({ codeName });
    expect(await unpacked()).toEqual([]);
  });
});
