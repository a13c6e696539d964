import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from './file-error.ts';

/**
 * Replaces a file as a whole: whoever reads it, and whoever looks after a crash, finds the old content or the new one. Only this
 * user can read it. Rejects with RESOURCE_EXHAUSTED, PERMISSION_DENIED or INTERNAL; the old file stays then.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeDurably(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    // What went wrong first is what counts.
    await Promise.allSettled([rm(temporary, { force: true })]);
    throw fileError(`${path} cannot be written`, error);
  }
}

async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}
