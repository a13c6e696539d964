import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

export interface BuiltEntry {
  readonly url: URL;
  remove(): void;
}

/** Bundles the program of a device thread as the build does, within the repository so that it finds its packages. */
export async function buildEntry(source: string): Promise<BuiltEntry> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'device-thread-'));
  const outfile = join(folder, 'device-thread.mjs');
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return { url: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
