import type { MachineInfo } from '#proto/ipc/contract.ts';

type Machines = readonly MachineInfo[];

/** Something is done to several of them at once. */
export function isSelectable({ state }: Pick<MachineInfo, 'state'>): boolean {
  return state === 'online' || state === 'installable';
}

/** On what is installed: the chosen ones of those that can be; all of them while none is chosen. */
export function toInstall(installable: Machines, chosen: readonly string[]): Machines {
  return chosen.length === 0 ? installable : toPlace(installable, chosen);
}

/** Of what a cluster is formed: the chosen ones of those that take tasks. */
export function toPlace(online: Machines, chosen: readonly string[]): Machines {
  return online.filter(({ id }) => chosen.includes(id));
}

/** `all`, `some` or `none` of those that can be chosen are. */
export function chosenShare(machines: Machines, chosen: readonly string[]): 'all' | 'some' | 'none' {
  const selectable = machines.filter(isSelectable);
  const count = selectable.filter(({ id }) => chosen.includes(id)).length;
  if (count === 0) return 'none';
  return count === selectable.length ? 'all' : 'some';
}
