import { execFile } from 'node:child_process';

/**
 * Gives the place on the disk back that the first bytes of a file take; what follows stays where it is, also for those who write there.
 * False where the system or its disk cannot do that.
 */
export function punchHole(path: string, bytes: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('fallocate', ['--punch-hole', '--offset', '0', '--length', String(bytes), path], (error) => resolve(error === null));
  });
}
