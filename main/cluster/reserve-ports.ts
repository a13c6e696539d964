import type { TaskPorts } from '#proto/ipc/contract.ts';
import { Code, resourceExhausted, toStatusError } from '#proto/wire/status.ts';

/** Takes wanted ports, and any free one for each 0. Rejects with ALREADY_EXISTS when a wanted one is in use. */
export type Reserve = (wanted: readonly number[]) => Promise<readonly number[]>;

export interface PortsOnMachine {
  /** 0 where the task does not ask for one. */
  readonly wanted: readonly number[];
  readonly reserve: Reserve;
  /** For people. */
  readonly machine: string;
}

/**
 * Reserves the wanted ports, and for each 0 one that the user lets tasks have, the lowest first. Rejects with ALREADY_EXISTS,
 * naming it, when a wanted one is in use, and with RESOURCE_EXHAUSTED when the range has too few free ones.
 */
export async function reservePorts(ports: TaskPorts, { wanted, reserve, machine }: PortsOnMachine): Promise<readonly number[]> {
  if (ports === 'any') return reserve(wanted);
  const named = wanted.filter((port) => port !== 0);
  if (named.length > 0) await reserve(named);
  const chosen: number[] = [];
  const needed = wanted.length - named.length;
  for (let port = ports.from; chosen.length < needed; port++) {
    if (port > ports.to) {
      const free = `${chosen.length} of the ports ${ports.from} to ${ports.to} ${chosen.length === 1 ? 'is' : 'are'} free on ${machine}`;
      throw resourceExhausted(`Only ${free}, and ${needed} are needed; widen the range in the settings, or stop what uses them`);
    }
    if (!named.includes(port) && (await isFree(port, reserve))) chosen.push(port);
  }
  const next = chosen.values();
  return wanted.map((port) => (port === 0 ? (next.next().value ?? 0) : port));
}

async function isFree(port: number, reserve: Reserve): Promise<boolean> {
  try {
    await reserve([port]);
    return true;
  } catch (error) {
    if (toStatusError(error).code === Code.ALREADY_EXISTS) return false;
    throw error;
  }
}
