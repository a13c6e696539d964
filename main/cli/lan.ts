import { setTimeout as delay } from 'node:timers/promises';
import type { MachineInfo } from '#proto/ipc/contract.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import type { Machines } from '../machines/machines.ts';
import { openLab } from './local-lab.ts';
import type { Terminal } from './terminal.ts';

/** Agents answer a query within a fraction of this. */
const ANSWER_MS = 1500;

/** Works with the machines of the LAN, once those that are there have had time to answer. */
export async function withLan(terminal: Terminal, signal: AbortSignal, work: (machines: Machines) => Promise<void>): Promise<void> {
  const lab = await openLab(terminal);
  try {
    terminal.glimpse('looking for machines …');
    await delay(ANSWER_MS, undefined, { signal });
    await work(lab.machines);
  } finally {
    await lab.close();
  }
}

/** By its id, or by its name or address where only one has it. */
export function machineOf(machines: readonly MachineInfo[], name: string): MachineInfo {
  const isIt = (each: MachineInfo): boolean => each.id === name || each.name === name || each.addresses.includes(name);
  const [only, ...others] = machines.filter(isIt);
  if (only && others.length === 0) return only;
  if (only) throw invalidArgument(`${others.length + 1} machines are called '${name}'; use an id: lanflow machines lists them`);
  throw notFound(`There is no machine '${name}'; lanflow machines lists those that are found, and lanflow machines why ${name} says more`);
}
