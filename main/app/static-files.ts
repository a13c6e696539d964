import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

export interface StaticFile {
  readonly type: string;
  readonly content: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The file below `folder` that the URL names. Undefined: there is none, it lies elsewhere, or its kind is not served. */
export async function readStaticFile(folder: string, url: string): Promise<StaticFile | undefined> {
  const path = pathBelow(folder, url);
  const type = path && types[extname(path)];
  if (!path || !type) return undefined;
  try {
    return { type, content: await readFile(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function pathBelow(folder: string, url: string): string | undefined {
  try {
    const path = normalize(join(folder, decodeURIComponent(new URL(url).pathname)));
    return path.startsWith(normalize(folder) + sep) && !path.includes('\0') ? path : undefined;
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined;
    throw error;
  }
}
