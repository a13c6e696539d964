import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { componentOf } from '../../../../../main/install/component/component.ts';
import { makeComponent } from '../../../../support/stand-in-component.ts';

const linux = { platform: 'linux', arch: 'x64' };
const native = 'node_modules/@tensorflow/tfjs-node-gpu/deps/lib';

let work: string;
let folder: string;
let kept: string;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'lanflow-component-'));
  [folder, kept] = [join(work, 'gpu'), join(work, 'bundles')];
});
afterEach(() => rm(work, { recursive: true }));

describe('a component', () => {
  it('is packed with its links, and without what tasks do not load', async () => {
    await makeComponent(folder);
    await writeFile(join(folder, 'package-lock.json'), '{}');
    const { path, id, package: about, size, unpackedSize } = await componentOf(folder, linux, kept);
    expect(path).toBe(join(kept, `component-${id}.tar.gz`));
    expect(about).toEqual({ name: '@tensorflow/tfjs-node-gpu', version: '4.22.0' });
    expect([size > 0, unpackedSize > 3 * 64]).toEqual([true, true]);
    await promisify(execFile)('tar', ['-xzf', path, '-C', work]);
    expect(await readlink(join(work, native, 'libtensorflow.so.2'))).toBe('libtensorflow.so.2.9.1');
    expect((await readdir(work)).sort()).toEqual(['bundles', 'gpu', 'lib', 'node_modules']);
  });

  it('has one id as long as nothing in it changes, and takes the place of the one before', async () => {
    await makeComponent(folder);
    const { id } = await componentOf(folder, linux, kept);
    expect((await componentOf(folder, linux, kept)).id).toBe(id);
    await symlink('libcudart.so', join(folder, 'lib', 'libcudart.so.11'));
    const other = await componentOf(folder, linux, kept);
    expect(other.id).not.toBe(id);
    expect(await readdir(kept)).toEqual([`component-${other.id}.tar.gz`]);
  });

  it('for another processor is refused', async () => {
    await makeComponent(folder, { arch: 'arm64' });
    await expect(componentOf(folder, linux, kept)).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/tfjs_binding\.node is not for linux-x64; make the component on such a machine$/),
    });
    expect((await componentOf(folder, { ...linux, arch: 'arm64' }, kept)).id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('without its package or its native library is refused, with how it is made', async () => {
    await expect(componentOf(folder, linux, kept)).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    await makeComponent(folder);
    await rm(join(folder, native), { recursive: true });
    await expect(componentOf(folder, linux, kept)).rejects.toMatchObject({ message: expect.stringContaining('lacks its native library') });
    await rm(join(folder, 'node_modules'), { recursive: true });
    await expect(componentOf(folder, linux, kept)).rejects.toMatchObject({ message: expect.stringContaining('npm install --prefix') });
    await expect(componentOf(join(folder, 'lib', 'libcudart.so'), linux, kept)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });

  it('with a link that would lead nowhere on another machine is refused', async () => {
    await makeComponent(folder);
    for (const target of ['/usr/lib/libcudnn.so', '../../libcudnn.so']) {
      await symlink(target, join(folder, 'lib', 'libcudnn.so'));
      await expect(componentOf(folder, linux, kept)).rejects.toMatchObject({
        message: expect.stringContaining('a link out of the component'),
      });
      await rm(join(folder, 'lib', 'libcudnn.so'));
    }
  });
});
