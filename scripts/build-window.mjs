/** Builds the window into dist/renderer: `node scripts/build-window.mjs`, or as part of the whole build. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

export async function buildWindow() {
  await build({ configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)), logLevel: 'warn' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildWindow();
