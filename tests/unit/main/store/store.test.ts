import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { dataFolder } from '../../../../main/store/data-folder.ts';
import { openStore } from '../../../../main/store/index.ts';

describe('the store', () => {
  let folder: string;
  const logged: string[] = [];
  const open = () => openStore(folder, (line) => logged.push(line));
  const path = (name: string): string => join(folder, name);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-store-'));
    logged.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('begins with defaults and keeps what is written, for this user only', async () => {
    expect(await open().settings.read()).toEqual({ language: 'system', theme: 'system', ports: 'any' });
    await open().settings.update((settings) => ({ ...settings, theme: 'dark' }));
    expect(await open().settings.read()).toEqual({ language: 'system', theme: 'dark', ports: 'any' });
    if (process.platform !== 'win32') expect((await stat(path('settings.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('reads settings that were kept before tasks had a range of ports', async () => {
    await writeFile(path('settings.json'), '{"version": 1, "content": {"language": "en", "theme": "dark"}}');
    expect(await open().settings.read()).toEqual({ language: 'en', theme: 'dark', ports: 'any' });
    expect(logged).toEqual([]);
  });

  it.each([
    ['half a file', '{"version": 1, "content": {"lang'],
    ['another version', '{"version": 2, "content": {"language": "en", "theme": "dark"}}'],
    ['wrong values', '{"version": 1, "content": {"language": "tlh", "theme": "dark"}}'],
    [
      'a range of ports that ends before it begins',
      '{"version": 1, "content": {"language": "en", "theme": "dark", "ports": {"from": 6000, "to": 5000}}}',
    ],
    ['nothing', ''],
  ])('keeps %s aside, says so, and goes on with defaults', async (_, content) => {
    await writeFile(path('settings.json'), content);
    expect(await open().settings.read()).toEqual({ language: 'system', theme: 'system', ports: 'any' });
    expect(logged).toEqual([expect.stringMatching(/settings\.json cannot be used \(.+\)\. It is kept as .+; defaults are used/)]);
    const [aside = ''] = await readdir(folder);
    expect(await readFile(path(aside), 'utf8')).toBe(content);
  });

  it('loses no change when many write at once', async () => {
    const add = (id: string) => open().clusters.update((all) => [...all, { id, title: id, jobs: [] }]);
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(`c${i}`)));
    expect((await open().clusters.read()).length).toBe(20);
  });

  it('gives this machine one id for ever', async () => {
    const ids = await Promise.all([open().machineId(), open().machineId()]);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set([...ids, await open().machineId()]).size).toBe(1);
  });

  it('takes a lock away from a process that has ended', async () => {
    await writeFile(path('x.lock'), '4194303');
    expect(await withFileLock(path('x'), async () => 'done')).toBe('done');
  });

  it.each([
    ['ENOSPC', 'RESOURCE_EXHAUSTED', /x cannot be written: the disk is full/],
    ['EACCES', 'PERMISSION_DENIED', /access is denied/],
    ['EIO', 'INTERNAL', /i\/o error/],
  ])('says what %s means', (code, codeName, message) => {
    const error = fileError('x cannot be written', Object.assign(new Error('i/o error'), { code }));
    expect(error).toMatchObject({ codeName, message: expect.stringMatching(message) });
  });

  it('leaves the old file and no other when a write fails', async () => {
    await writeFileAtomically(path('a'), 'old');
    await expect(writeFileAtomically(join(path('a'), 'below'), 'x')).rejects.toMatchObject({ name: 'StatusError' });
    expect(await readFile(path('a'), 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a']);
  });
});

describe('the data folder', () => {
  it.each([
    [{ LANFLOW_DATA: '/data/x' }, 'linux', '/data/x'],
    [{}, 'linux', '/home/u/.local/share/lanflow'],
    [{ XDG_DATA_HOME: '/xdg' }, 'linux', '/xdg/lanflow'],
    [{}, 'darwin', '/home/u/Library/Application Support/Lanflow'],
    [{ LOCALAPPDATA: '/local' }, 'win32', '/local/Lanflow'],
  ] as const)('with %j on %s is %s', (env, platform, expected) => {
    expect(dataFolder({ env, platform, home: '/home/u' })).toBe(expected);
  });
});
