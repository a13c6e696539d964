import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const KIB = 1024;

/** Resident bytes of a process; 0 where that cannot be told, or when it has ended. */
export async function processMemory(pid: number, platform: NodeJS.Platform = process.platform): Promise<number> {
  try {
    if (platform === 'linux') return kibibytes(/^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')));
    if (platform === 'darwin')
      return kibibytes(/^\s*(\d+)/.exec((await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout));
    return 0;
  } catch {
    // It ended meanwhile, of which its owner hears otherwise.
    return 0;
  }
}

function kibibytes(match: RegExpExecArray | null): number {
  return Number(match?.[1] ?? 0) * KIB;
}
