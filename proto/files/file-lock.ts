import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineExceeded } from '../wire/status.ts';
import { fileError } from './file-error.ts';
import { isProcessAlive } from './is-process-alive.ts';

const RETRY_MS = 15;
const WAIT_MS = 5000;
/** No write takes this long: whoever holds a lock for longer has ended without giving it back. */
const STALE_MS = 10_000;

/** The last work of this process under each path: they take turns, so that none of them waits in vain while others push in. */
const lasts = new Map<string, Promise<unknown>>();

/**
 * Does `work` while nobody else, in this or another process of this user, does work under the same path. For short work only: read,
 * change, write. Rejects with DEADLINE_EXCEEDED when another process holds the lock for too long.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const turn = (lasts.get(path) ?? Promise.resolve()).then(() => locked(path, work));
  const last = turn.catch(() => undefined);
  lasts.set(path, last);
  try {
    return await turn;
  } finally {
    if (lasts.get(path) === last) lasts.delete(path);
  }
}

async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const until = Date.now() + WAIT_MS;
  while (!(await take(lock))) {
    if (Date.now() > until) throw deadlineExceeded(`${path} is being changed by another Lanflow; if none is running, delete ${lock}`);
    if (await isStale(lock)) await rm(lock, { force: true });
    else await delay(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
    const file = await open(lock, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(`${lock} cannot be made`, error);
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock);
    const holder = Number(await readFile(lock, 'utf8'));
    return Date.now() - mtimeMs > STALE_MS || (holder > 0 && !isProcessAlive(holder));
  } catch (error) {
    // Given back in this moment.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
