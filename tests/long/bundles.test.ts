import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleFor } from '../../main/install/bundle/bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The kind that labs have most besides this one, and one that shares nothing with it. */
const PLATFORMS = [
  { platform: 'linux', arch: process.arch === 'arm64' ? 'x64' : 'arm64' },
  { platform: 'win32', arch: 'x64' },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanflow-bundles-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(PLATFORMS)('a bundle for $platform-$arch is made on any machine, and installed from then on', async (target) => {
  const name = `${target.platform}-${target.arch}`;
  execFileSync(process.execPath, ['scripts/bundles.mjs', '--built', '--platform', name, '--to', folder], { cwd: root, stdio: 'inherit' });
  const source = { root, node: process.execPath, platform: { platform: process.platform, arch: process.arch } };
  const bundle = await bundleFor(target, { source, folder: join(folder, 'nothing'), shipped: folder, version: '0.1.0' });
  expect(readdirSync(folder)).toContain(`lanflow-0.1.0-${name}-${bundle.id}.tar.gz`);
});
