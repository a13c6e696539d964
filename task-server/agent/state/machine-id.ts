import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';

/** In the data folder. The app's store keeps the same id in the same file, whichever of the two comes first. */
const FILE = 'machine.json';
const VERSION = 1;

/** The id of this machine and user: 16 hex digits, made at the first call and kept. */
export async function machineId(dataFolder: string): Promise<string> {
  const path = join(dataFolder, FILE);
  return (await readId(path)) ?? withFileLock(path, async () => (await readId(path)) ?? makeId(path));
}

async function readId(path: string): Promise<string | undefined> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as { version?: unknown; content?: { id?: unknown } } | null;
    const id = file?.version === VERSION ? file.content?.id : undefined;
    return typeof id === 'string' && /^[0-9a-f]{16}$/.test(id) ? id : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(`${path} cannot be read`, error);
  }
}

async function makeId(path: string): Promise<string> {
  const id = randomBytes(8).toString('hex');
  await writeFileAtomically(path, `${JSON.stringify({ version: VERSION, content: { id } }, undefined, 2)}\n`);
  return id;
}
