import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { TaskProcess } from '../../support/task-process.ts';

/** Memory that a process really occupies, in MB. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** The median memory of each process while something happens to it: a garbage collector makes any single look arbitrary. */
export async function medianResidentMb(pids: readonly number[], during: () => Promise<unknown>, everyMs = 50): Promise<number[]> {
  const seen = pids.map((): number[] => []);
  const look = () => pids.forEach((pid, i) => void seen[i]?.push(residentMb(pid)));
  const timer = setInterval(look, everyMs);
  try {
    await during();
  } finally {
    clearInterval(timer);
  }
  look();
  return seen.map((each) => each.sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0);
}

/** Open files and sockets. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** What a task of ours says that it holds: `connections`, `calls`, `master sessions`, `worker sessions`, `steps`. */
export async function stateOf(task: TaskProcess): Promise<Record<string, number>> {
  const before = task.stderr().length;
  task.kill('SIGUSR2');
  const line = await expect
    .poll(() => /state: (.*)\n/.exec(task.stderr().slice(before))?.[1], { timeout: 5000 })
    .toBeDefined()
    .then(() => /state: (.*)\n/.exec(task.stderr().slice(before))?.[1] ?? '');
  return Object.fromEntries(line.split(', ').map((part) => [part.replace(/ \d+$/, ''), Number(/\d+$/.exec(part)?.[0])]));
}

/** Nothing of any session or step is left in these tasks; what is on its way out has `timeoutMs`. */
export async function expectIdle(tasks: readonly TaskProcess[], timeoutMs = 10_000): Promise<void> {
  for (const task of tasks) {
    const idle = { calls: 0, 'master sessions': 0, 'worker sessions': 0, steps: 0 };
    await expect.poll(() => stateOf(task), { timeout: timeoutMs, interval: 250 }).toMatchObject(idle);
  }
}
