import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownInstallation, withOwnBundles } from '../../../../main/install/own-env.ts';

describe('bundles for this machine itself', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-data-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('do not stay, however the installation ends', async () => {
    const own = ownInstallation('/lanflow', join(folder, 'data'));
    const used: string[] = [];
    const failing = withOwnBundles(own, async ({ root, dataFolder }) => {
      used.push(root, dataFolder);
      writeFileSync(join(dataFolder, 'bundle'), '');
      throw new Error('No disk');
    });
    await expect(failing).rejects.toThrow('No disk');
    expect(used).toEqual(['/lanflow', expect.not.stringContaining(folder)]);
    expect([...used.slice(1), own.dataFolder].filter(existsSync)).toEqual([]);
  });

  it('stay where the user has some already', async () => {
    const own = ownInstallation('/lanflow', folder);
    mkdirSync(join(folder, 'bundles'));
    expect(await withOwnBundles(own, async (from) => from)).toBe(own);
  });
});
