import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of one megabyte, in memory. */
export interface SmallDisk {
  /** Leaves no byte free for now; again after somebody has given room back. */
  fill(): void;
  /** Makes room again. */
  clear(): void;
  remove(): void;
}

/** Why none can be had here, or nothing. */
export const smallDiskMissing = process.platform === 'linux' && process.getuid?.() === 0 && canMount() ? '' : 'root';

export function mountSmallDisk(folder: string): SmallDisk {
  const ballast = join(folder, 'ballast');
  mkdirSync(folder, { recursive: true });
  mount(folder);
  const parts: string[] = [];
  return {
    fill: () => {
      while (free(folder) > 0) {
        const part = `${ballast}-${parts.length}`;
        parts.push(part);
        writeAsMuchAsFits(part, free(folder));
      }
    },
    clear: () => {
      for (const part of parts.splice(0)) rmSync(part, { force: true });
    },
    remove: () => {
      execFileSync('umount', [folder]);
    },
  };
}

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function writeAsMuchAsFits(path: string, bytes: number): void {
  try {
    writeFileSync(path, new Uint8Array(bytes));
  } catch (error) {
    // Somebody else has taken some of it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
}

/** Containers seldom let their root mount. */
function canMount(): boolean {
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}
