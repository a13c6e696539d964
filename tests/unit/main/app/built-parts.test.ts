import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findParts } from '../../../../main/app/built-parts.ts';

describe('the built parts', () => {
  let resources: string;

  beforeAll(() => {
    resources = mkdtempSync(join(tmpdir(), 'lanflow-parts-'));
    mkdirSync(join(resources, 'lanflow', 'node'), { recursive: true });
    for (const name of ['node', 'node.exe']) writeFileSync(join(resources, 'lanflow', 'node', name), '');
  });
  afterAll(() => rmSync(resources, { recursive: true }));

  it('of a clone lie beside the shell, and run with the Node of the PATH', () => {
    expect(findParts({ folder: '/clone/dist/shell', resources, platform: 'linux' })).toEqual({
      node: 'node',
      coreEntry: join('/clone/dist/core/index.js'),
      window: join('/clone/dist/renderer'),
    });
  });

  it.each([
    ['linux', 'node'],
    ['win32', 'node.exe'],
  ] as const)('of the packaged app lie in its resources, with a Node: %s', (platform, name) => {
    const parts = findParts({ folder: join(resources, 'app.asar', 'dist', 'shell'), resources, platform });
    const root = join(resources, 'lanflow');
    expect(parts).toEqual({
      node: join(root, 'node', name),
      coreEntry: join(root, 'dist', 'core', 'index.js'),
      window: join(root, 'dist', 'renderer'),
    });
  });

  it('of a host that is packed are looked for among what it has unpacked', () => {
    const folder = join(resources, 'app.asar', 'node_modules', 'lanflow', 'dist', 'embed');
    const { coreEntry, node } = findParts({ folder, resources, platform: 'linux', node: '/opt/node' });
    expect(coreEntry).toBe(join(resources, 'app.asar.unpacked', 'node_modules', 'lanflow', 'dist', 'core', 'index.js'));
    expect(node).toBe('/opt/node');
  });
});
