import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenedFile } from '#proto/ipc/bridge.ts';
import { resourceExhausted } from '#proto/wire/status.ts';

/** Run bundles of long runs are large; what is larger than this is no bundle. */
const MAX_BYTES = 1 << 30;

/** What the user wants, from a command line: `electron [flags] APP [--demo] [FILE…]`, where a packaged app has no APP. File managers name files by URL. */
export interface Wishes {
  readonly runDemo: boolean;
  readonly files: readonly string[];
}

export function parseCommandLine(argv: readonly string[], folder: string, app: string): Wishes {
  const args = argv.slice(1);
  const files = args
    .filter((arg) => !arg.startsWith('-'))
    .map((arg) => (arg.startsWith('file://') ? fileURLToPath(arg) : resolve(folder, arg)));
  return { runDemo: args.includes('--demo'), files: files.filter((path) => path !== app) };
}

export function readOpenedFile(path: string): OpenedFile {
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw resourceExhausted(`${path} has ${size} bytes; the most that can be opened is ${MAX_BYTES}`);
  return { path, name: basename(path), content: readFileSync(path) };
}
