import { open, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineExceeded } from '#proto/wire/status.ts';

const RETRY_MS = 15;
const WAIT_MS = 5000;
/** No work under a lock takes this long: whoever holds one for longer has ended without giving it back. */
const STALE_MS = 10_000;

/**
 * Does short work while no other Lanflow process of this user does work under the same path. The lock is `PATH.lock` with the
 * holder's process id in it, as the store of the app takes it too. Rejects with DEADLINE_EXCEEDED when it is held for too long.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
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
    const file = await open(lock, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock);
    const holder = Number(await readFile(lock, 'utf8'));
    return Date.now() - mtimeMs > STALE_MS || (holder > 0 && !isAlive(holder));
  } catch (error) {
    // Given back in this moment.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
