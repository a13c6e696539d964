import { mkdirSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
// Machines have a /tmp of their own.
const folder = path('../../../.cache/lab');
const built = new Set<string>();

/** A program of `programs/`, as a file that Node runs on any machine of a lab. */
export function program(name: string): string {
  const file = `${folder}/${name}.mjs`;
  if (built.has(name)) return file;
  const fresh = `${folder}/${name}-${process.pid}.mjs`;
  mkdirSync(folder, { recursive: true });
  const banner = { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" };
  buildSync({
    entryPoints: [path(`./programs/${name}.ts`)],
    outfile: fresh,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // It looks for its own files beside itself.
    external: ['playwright-core'],
    banner,
  });
  // Other test files may be running the one before.
  renameSync(fresh, file);
  built.add(name);
  return file;
}
