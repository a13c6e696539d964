import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { TarEntry } from './tar.ts';

/** Only libraries are as large. */
const LARGE = 8 * 2 ** 20;
const QUALITY = 5;
const END = '.br';

/**
 * A large file in a form that is a seventh smaller than what the archive itself makes of it, and made as fast; others stay as they are. The
 * Node that comes with it expands it there.
 */
export async function compressLarge(entry: TarEntry, path: string): Promise<TarEntry> {
  if (entry.size < LARGE) return entry;
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: entry.size };
  await pipeline(createReadStream(entry.source), createBrotliCompress({ params }), createWriteStream(path));
  return { ...entry, name: entry.name + END, size: (await stat(path)).size, source: path };
}

/**
 * Program for `node -e`, in which Node's modules need no import: expands the files in a folder, its argument. It has no quotation marks, so
 * that any shell can quote it.
 */
export const EXPAND = [
  'const root = process.argv[1];',
  'for (const name of fs.readdirSync(root, { recursive: true })) {',
  `if (!/[.]br$/.test(name)) continue;`,
  'const file = path.join(root, name);',
  'fs.writeFileSync(file.slice(0, -3), zlib.brotliDecompressSync(fs.readFileSync(file)));',
  'fs.unlinkSync(file);',
  '}',
].join(' ');
