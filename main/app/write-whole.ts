import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file whole or not at all: whoever reads it sees the old content or the new one. */
export function writeWholeSync(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    writeFileSync(draft, content);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
