import { arch, cpus, freemem, hostname, release, totalmem, type } from 'node:os';
import { subnetOf } from '#proto/discovery/ip-address.ts';
import type { Engine } from '#proto/generated/lanflow/agent_pb.ts';
import type { EngineInfo, MachineInfo, MachineState } from '#proto/ipc/contract.ts';
import type { InstallableMachine } from './discovery/installable.ts';
import type { FoundMachine } from './discovery/machine-table.ts';
import type { MachineLink } from './machine-link.ts';

/** What is known of a machine besides what its agent tells. */
export interface MachineNames {
  readonly isThis: boolean;
  readonly name: string | undefined;
  /** Under which it is dialled. */
  readonly addresses: readonly string[];
  readonly port: number;
}

const UNKNOWN = {
  isThis: false,
  isInstalled: false,
  networks: [],
  versions: {},
  system: '',
  cores: 0,
  memoryTotal: 0,
  memoryFree: 0,
  load: 0,
  diskTotal: 0,
  diskFree: 0,
  gpus: [],
  engines: [],
  tasks: 0,
  clockOffset: 0,
} as const;

/** What the user sees of a machine. Of one whose agent has never answered that is what can be known without it. */
export function machineInfo(link: MachineLink, { isThis, name, addresses, port }: MachineNames): MachineInfo {
  const { id, machine, load, error, seenAt } = link;
  return {
    id,
    name: name ?? machine?.hostName ?? (isThis ? hostname() : id),
    isThis,
    state: error ? 'lost' : 'online',
    reason: error?.message ?? '',
    seenAt,
    isInstalled: machine?.installed ?? false,
    versions: { ...machine?.version },
    addresses: load?.address ?? addresses,
    networks: subnetsOf(load?.network ?? []),
    port: machine?.port ?? port,
    system: machine?.system ?? (isThis ? `${type()} ${release()} ${arch()}` : ''),
    cores: machine?.cores ?? (isThis ? cpus().length : 0),
    memoryTotal: load?.memoryTotal ?? (isThis ? totalmem() : 0),
    memoryFree: load?.memoryFree ?? (isThis ? freemem() : 0),
    load: load?.cpu ?? 0,
    diskTotal: load?.diskTotal ?? 0,
    diskFree: load?.diskFree ?? 0,
    gpus: machine?.gpu ?? [],
    engines: (machine?.engine ?? []).flatMap(engineInfo),
    tasks: error && !link.tasksGoOn ? 0 : link.runningCount,
    clockOffset: isThis ? 0 : link.clockOffset,
  };
}

/** A newer agent may have more of them. */
function engineInfo({ name, version, title, path, problem }: Engine): readonly EngineInfo[] {
  return name === 'bundled' || name === 'tensorflow' ? [{ name, version, title, path, problem }] : [];
}

function subnetsOf(networks: readonly string[]): readonly string[] {
  return [...new Set(networks.flatMap((network) => subnetOf(network) ?? []))];
}

/** A machine with an agent that takes no orders from this user. */
export function strangerInfo(found: FoundMachine, membership: 'other' | 'none'): MachineInfo {
  const { machine, title, addresses, port, versions, seenAt, isHere } = found;
  return {
    ...UNKNOWN,
    id: machine,
    name: title,
    state: stateOf(membership, isHere),
    reason: isHere ? STRANGER_REASONS[membership] : 'Its agent is not heard of any more: it was ended, or its machine is off',
    seenAt,
    versions,
    addresses,
    port,
    isInstalled: true,
  };
}

const STRANGER_REASONS = {
  none: 'It belongs to no lab yet: pair it with the PIN that its agent shows',
  other: "It belongs to somebody else's lab: its owner can remove it there, or invite you",
} as const;

function stateOf(membership: 'other' | 'none', isHere: boolean): MachineState {
  if (!isHere) return 'lost';
  return membership === 'other' ? 'other lab' : 'unpaired';
}

/** A machine that answers SSH, and has no agent. */
export function installableInfo({ name, addresses, port }: InstallableMachine): MachineInfo {
  const reason = 'Lanflow is not installed there: install it by SSH';
  return { ...UNKNOWN, id: `ssh:${addresses[0]}:${port}`, name, state: 'installable', reason, seenAt: 0, addresses, port };
}
