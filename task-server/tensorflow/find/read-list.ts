import { readdir, readFile } from 'node:fs/promises';

/** What others keep in order may be missing or closed to this user: then it names nothing. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await unlessAbsent(readdir(folder))) ?? [];
}

/** Lines of a file that say something; `#` begins a comment. */
export async function linesOf(file: string): Promise<readonly string[]> {
  const text = (await unlessAbsent(readFile(file, 'utf8'))) ?? '';
  return text.split('\n').flatMap((line) => line.replace(/(^|\s)#.*/, '').trim() || []);
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
