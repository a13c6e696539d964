import type { EngineInfo, MachineInfo } from '#proto/ipc/contract.ts';
import { formatBytes, formatDuration } from '../../components/number.ts';
import type { I18n, Text } from '../../locales/i18n.svelte.ts';
import { engineTitle } from '../../stores/machine-engines.ts';

/** Clocks that differ less are fine: nothing that Lanflow does or shows goes wrong. */
const TOLERATED = 1000;

type Words = Pick<I18n, 'text' | 'message'>;

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** To be copied into other programs. */
  readonly isCode?: boolean;
  readonly isWrong?: boolean;
}

/** What is known of a machine, beyond its state and its tasks; nothing about what is not known. `now` in milliseconds. */
export function factsOf(machine: MachineInfo, { text, message }: Words, now: number): readonly Fact[] {
  const { addresses, clockOffset, cores, diskFree, diskTotal, gpus, id, memoryFree, memoryTotal, seenAt, system, versions } = machine;
  const hasAgent = machine.state !== 'installable';
  const all: readonly (Fact | false)[] = [
    clockOffset !== 0 &&
      Math.abs(clockOffset) > TOLERATED && { label: text('machines.clock'), value: clockText(clockOffset, text), isWrong: true },
    { label: text('machines.addresses'), value: addresses.join('\n'), isCode: true },
    machine.port > 0 && { label: text(hasAgent ? 'machines.agentPort' : 'machines.sshPort'), value: String(machine.port), isCode: true },
    { label: text('machines.system'), value: system },
    cores > 0 && { label: text('machines.cores'), value: text('cluster.cores', { cores }) },
    memoryTotal > 0 && { label: text('machines.memory'), value: spaceText(memoryFree, memoryTotal, text) },
    diskTotal > 0 && { label: text('machines.disk'), value: spaceText(diskFree, diskTotal, text) },
    cores > 0 && { label: text('machines.gpus'), value: gpus.join('\n') || text('cluster.noGpus') },
    { label: text('machines.engines'), value: machine.engines.map((engine) => engineText(engine, message)).join('\n') },
    hasAgent && { label: text('machines.agent'), value: text(machine.isInstalled ? 'machines.installed' : 'machines.notInstalled') },
    { label: text('machines.versions'), value: versionsText(versions) },
    !machine.isThis && { label: text('machines.seen'), value: seenText(seenAt, text, now) },
    { label: text('machines.id'), value: id, isCode: true },
  ];
  return all.filter((fact): fact is Fact => fact !== false && fact.value !== '');
}

/** `12 s ago`, or that it never was. */
export function seenText(seenAt: number, text: Text, now: number): string {
  return seenAt === 0 ? text('machines.never') : text('cluster.ago', { time: formatDuration(now - seenAt) });
}

function spaceText(free: number, total: number, text: Text): string {
  return text('cluster.spaceTitle', { free: formatBytes(free), total: formatBytes(total) });
}

/** What it is and where; or why there is none. */
function engineText(engine: EngineInfo, message: Words['message']): string {
  const { name, path, problem } = engine;
  if (problem !== '') return message(problem);
  const title = engineTitle(name, engine);
  return path === '' ? title : `${title}\n${path}`;
}

function versionsText(versions: MachineInfo['versions']): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join('\n');
}

function clockText(offset: number, text: Text): string {
  return text(offset > 0 ? 'machines.clockAhead' : 'machines.clockBehind', { time: formatDuration(Math.abs(offset)) });
}
