import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessInfo, processesWith } from '../support/processes.ts';
import type { TemporaryHome } from '../support/window-app.ts';

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** The three processes of design: what else Chromium starts (graphics, network, its zygotes) is not counted. */
export function ownProcesses({ folder }: TemporaryHome, shell: number): readonly ProcessInfo[] {
  return processesWith(folder).filter(({ pid, command }) => pid === shell || /core\/index\.js|--type=renderer/.test(command));
}

/** Megabytes, where what several processes share is divided among them. */
export function memoryOf(processes: readonly ProcessInfo[]): number {
  return processes.reduce((sum, { pid }) => sum + kilobytes(pid), 0) / 1024;
}

function kilobytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? Number.NaN);
}

/** Percent of one core that all processes of the app use, over this many seconds. */
export async function idleLoad({ folder }: TemporaryHome, seconds: number): Promise<number> {
  const before = ticks(processesWith(folder));
  await delay(seconds * 1000);
  const after = ticks(processesWith(folder));
  const used = [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
  return (used / TICKS_PER_SECOND / seconds) * 100;
}

/** User and system time of each process: the 14th and 15th field, the 2nd being a name in parentheses. */
function ticks(processes: readonly ProcessInfo[]): ReadonlyMap<number, number> {
  return new Map(
    processes.map(({ pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return [pid, Number(fields[11]) + Number(fields[12])];
    }),
  );
}
