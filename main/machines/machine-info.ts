import { arch, cpus, freemem, hostname, release, totalmem, type } from 'node:os';
import type { MachineInfo } from '#proto/ipc/contract.ts';
import type { MachineLink } from './machine-link.ts';

/** What the user sees of a machine. Of one whose agent has never answered that is what can be known without it. */
export function machineInfo(link: MachineLink, isThis: boolean): MachineInfo {
  const { id, machine, load, error, seenAt } = link;
  return {
    id,
    name: machine?.hostName ?? (isThis ? hostname() : id),
    isThis,
    state: error ? 'lost' : 'online',
    reason: error?.message ?? '',
    seenAt,
    isInstalled: machine?.installed ?? false,
    versions: { ...machine?.version },
    addresses: load?.address ?? [],
    system: machine?.system ?? (isThis ? `${type()} ${release()} ${arch()}` : ''),
    cores: machine?.cores ?? (isThis ? cpus().length : 0),
    memoryTotal: load?.memoryTotal ?? (isThis ? totalmem() : 0),
    memoryFree: load?.memoryFree ?? (isThis ? freemem() : 0),
    load: load?.cpu ?? 0,
    diskTotal: load?.diskTotal ?? 0,
    diskFree: load?.diskFree ?? 0,
    gpus: machine?.gpu ?? [],
    tasks: error ? 0 : link.runningCount,
  };
}
