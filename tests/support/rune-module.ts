import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { compileModule } from 'svelte/compiler';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Svelte's compiler knows runes, but no types. */
const runes: Plugin = {
  name: 'runes',
  setup(builder) {
    builder.onLoad({ filter: /\.svelte\.ts$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', target: 'esnext' });
      return { contents: compileModule(code, { filename: path, dev: false, generate: 'client' }).js.code, loader: 'js' };
    });
  },
};

/**
 * Modules of the window that have state, as the browser runs them: `renderer/features/cluster/cluster-editor.svelte.ts`. They and what
 * they import are one copy, so a class that the test shares with them must come from here too.
 */
export async function importRuneModules<T>(paths: readonly string[]): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-runes-'));
  const outfile = join(folder, 'module.mjs');
  try {
    await build({
      stdin: { contents: paths.map((path) => `export * from './${path}';`).join('\n'), resolveDir: root },
      absWorkingDir: root,
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['browser', 'svelte'],
      plugins: [runes],
      logLevel: 'silent',
    });
    // The caller names the types of the modules at these paths.
    return (await import(pathToFileURL(outfile).href)) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}
