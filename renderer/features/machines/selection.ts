import type { MachineInfo } from '#proto/ipc/contract.ts';

type Machines = readonly MachineInfo[];

/** Something is done to several of them at once. */
export function isSelectable({ state }: Pick<MachineInfo, 'state'>): boolean {
  return state === 'online' || state === 'installable';
}

/** What would be installed: those of the chosen machines that can be; all that can be while none is chosen. */
export function toInstall(machines: Machines, chosen: readonly string[]): Machines {
  return machines.filter(({ id, state }) => state === 'installable' && (chosen.length === 0 || chosen.includes(id)));
}

/** What a cluster would be formed of: those of the chosen machines that take tasks. */
export function toPlace(machines: Machines, chosen: readonly string[]): Machines {
  return machines.filter(({ id, state }) => state === 'online' && chosen.includes(id));
}

/** `all`, `some` or `none` of those that can be chosen are. */
export function chosenShare(machines: Machines, chosen: readonly string[]): 'all' | 'some' | 'none' {
  const selectable = machines.filter(isSelectable);
  const count = selectable.filter(({ id }) => chosen.includes(id)).length;
  if (count === 0) return 'none';
  return count === selectable.length ? 'all' : 'some';
}
