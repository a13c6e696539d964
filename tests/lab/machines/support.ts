import { fileURLToPath } from 'node:url';
import type { TaskChild } from '../../support/task-child.ts';
import type { LabMachine } from '../support/machine.ts';

export const CLI = fileURLToPath(new URL('../../../dist/cli/index.js', import.meta.url));
export const CORE = fileURLToPath(new URL('../../../dist/core/index.js', import.meta.url));

/** What `lanflow` with these arguments says on a machine; rejects with what it complains of. */
export async function lanflow(machine: LabMachine, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.exec(process.execPath, [CLI, ...args], { timeout: 60_000 });
  if (code !== 0) throw new Error(stderr || stdout);
  return stdout;
}

export async function lanflowJson<T>(machine: LabMachine, ...args: readonly string[]): Promise<T> {
  return JSON.parse(await lanflow(machine, ...args, '--json')) as T;
}

/** One that goes on until it is ended. */
export function spawnLanflow(machine: LabMachine, ...args: readonly string[]): TaskChild {
  return machine.spawn(process.execPath, [CLI, ...args]);
}

/** `lanflow agent` in the foreground, as somebody types it at that machine. */
export async function startAgent(machine: LabMachine, ...flags: readonly string[]): Promise<TaskChild> {
  const agent = spawnLanflow(machine, 'agent', ...flags);
  await agent.line((line) => line.startsWith('ready '));
  return agent;
}
