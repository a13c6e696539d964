import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Processes whose parent is this one, on Linux. */
export function childrenOf(pid: number): readonly ProcessInfo[] {
  return listProcesses().filter(({ parent }) => parent === pid);
}

/** Processes whose environment has this text: all that an app has started, however many processes are between. Linux. */
export function processesWith(environment: string): readonly ProcessInfo[] {
  return listProcesses().filter(({ pid }) => read(`/proc/${pid}/environ`).includes(environment));
}

function listProcesses(): readonly ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = /^\d+ \(.*\) (\S) (\d+)/s.exec(read(`/proc/${name}/stat`));
      // A zombie has ended: it only waits for its parent to notice.
      if (!fields || fields[1] === 'Z') return [];
      return [{ pid: Number(name), parent: Number(fields[2]), command: read(`/proc/${name}/cmdline`).replaceAll('\0', ' ') }];
    });
}

/** Processes end while one looks at them. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
