import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of something built of this package: `task-server/index.js`, `renderer`. Chunks and entries lie at different depths, so it is looked for upwards. */
export function bundlePath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name)) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, name);
}
