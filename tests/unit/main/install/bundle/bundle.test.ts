import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bundle, bundleFor } from '../../../../../main/install/bundle/bundle.ts';

const LINUX = { platform: 'linux', arch: 'x64' };

describe('a bundle', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-bundle-'));
    await write('dist/task-server/packages.json', JSON.stringify({ 'linux-x64': PACKAGES }));
    for (const name of ['index.js', 'agent.js', 'device-thread.js', 'tensorflow/serve.py']) await write(`dist/task-server/${name}`, name);
    for (const name of ['package.json', 'LICENSE', 'main.js', 'other.js', 'native/linux']) await write(`node_modules/part/${name}`, name);
    await write('package.json', '{}');
    await write('node', '#!/bin/sh\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }

  function make(target = LINUX): Promise<Bundle> {
    const source = { root: folder, node: join(folder, 'node'), platform: LINUX };
    return bundleFor(target, { source, folder: join(folder, 'bundles'), shipped: join(folder, 'shipped'), version: '1.2.3' });
  }

  it('holds the programs, what they need of packages with the licences, and a Node', async () => {
    const { path } = await make();
    const names = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual([
      'dist/task-server/agent.js',
      'dist/task-server/device-thread.js',
      'dist/task-server/index.js',
      'dist/task-server/tensorflow/serve.py',
      'node_modules/part/LICENSE',
      'node_modules/part/main.js',
      'node_modules/part/native/linux',
      'node_modules/part/package.json',
      'package.json',
      'node/node',
    ]);
  });

  it('is made once, and anew when something in it changes; the old one goes', async () => {
    const first = await make();
    expect(await make()).toEqual(first);
    await write('node_modules/part/main.js', 'changed');
    const second = await make();
    expect(second.id).not.toBe(first.id);
    expect(await readdir(join(folder, 'bundles'))).toEqual([`lanflow-1.2.3-linux-x64-${second.id}.tar.gz`]);
  });

  it('for another platform is a file that was made before: one that the user has brought, else one that was shipped', async () => {
    const arm = { platform: 'linux', arch: 'arm64' };
    await expect(make(arm)).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/npm run bundles -- --platform linux-arm64.* copy the file that it names into .*\/bundles$/),
    });
    await write('shipped/lanflow-1.2.3-linux-arm64-0123456789abcdef.tar.gz', 'x');
    await write('shipped/lanflow-1.2.2-linux-arm64-00000000000000ff.tar.gz', 'old');
    expect(await make(arm)).toMatchObject({ id: '0123456789abcdef', size: 1 });
    await write('bundles/lanflow-1.2.3-linux-arm64-fedcba9876543210.tar.gz', 'own');
    expect(await make(arm)).toMatchObject({ id: 'fedcba9876543210', size: 3 });
    await make();
    expect(await make(arm)).toMatchObject({ size: 3 });
  });

  it('names what is missing', async () => {
    await rm(join(folder, 'node_modules/part'), { recursive: true });
    await expect(make()).rejects.toThrow(`The package part is not in ${folder}/node_modules`);
    await rm(join(folder, 'dist/task-server/packages.json'));
    await expect(make()).rejects.toThrow('packages.json cannot be read: it is not there');
  });
});

const PACKAGES = [
  { name: 'part', files: ['main.js', 'native'] },
  { name: 'absent', files: ['.'], isOptional: true },
];
