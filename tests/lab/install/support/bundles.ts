import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundleFor } from '../../../../main/install/bundle/bundle.ts';

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url));

export interface SmallBundleOptions {
  /** Bytes that cannot be compressed, to have something to upload. */
  readonly ballast?: number;
  /** Put before the agent program. */
  readonly prelude?: string;
}

export interface SmallBundle extends Bundle {
  dispose(): Promise<void>;
}

/**
 * Lanflow as it was built, but with a script for a Node: machines of a lab have that of the host. Different calls make different versions.
 */
export async function smallBundle({ ballast = 0, prelude = '' }: SmallBundleOptions = {}): Promise<SmallBundle> {
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-bundle-'));
  const program = join(folder, 'root', 'dist', 'task-server');
  await mkdir(join(program, 'tensorflow'), { recursive: true });
  for (const name of ['index.js', 'agent.js', 'device-thread.js']) await cp(join(dist, 'task-server', name), join(program, name));
  const agent = join(program, 'agent.js');
  await writeFile(agent, prelude + (await readFile(agent, 'utf8')));
  await writeFile(join(program, 'tensorflow', 'ballast'), randomBytes(ballast + 16));
  await writeFile(join(program, 'packages.json'), JSON.stringify({ 'linux-x64': [] }));
  await writeFile(join(folder, 'root', 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder, 'node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  await chmod(join(folder, 'node'), 0o755);
  const platform = { platform: 'linux', arch: 'x64' };
  const source = { root: join(folder, 'root'), node: join(folder, 'node'), platform };
  const bundle = await bundleFor(platform, { source, folder: join(folder, 'bundles'), shipped: '', version: '0.1.0' });
  return { ...bundle, dispose: () => rm(folder, { recursive: true }) };
}
