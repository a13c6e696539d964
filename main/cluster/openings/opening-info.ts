import { inSubnet } from '#proto/discovery/ip-address.ts';
import type { OpeningInfo } from '#proto/ipc/contract.ts';
import type { KnownTask } from '../../machines/known-tasks.ts';
import type { ClusterMachine } from '../task-control.ts';

/** A task as its agent has told of it, and the machine that it is on. */
export interface SeenTask {
  readonly name: string;
  readonly known: KnownTask | undefined;
  readonly machine: Pick<ClusterMachine, 'load'> | undefined;
}

/** To which networks the tasks of a cluster are open, as they have told themselves, or will be once they are back. */
export function openingInfos(tasks: readonly SeenTask[]): readonly OpeningInfo[] {
  const found = new Map<string, { closesAt: number; addresses: Record<string, string> }>();
  for (const { name, known, machine } of tasks) {
    if (!known) continue;
    const age = performance.now() - known.toldAt;
    for (const { network, remaining } of known.status.opening) {
      if (remaining >= 0 && remaining <= age) continue;
      const closesAt = remaining < 0 ? 0 : Math.round(Date.now() + remaining - age);
      const before = found.get(network) ?? { closesAt, addresses: {} };
      const addresses = { ...before.addresses, [name]: addressFor(network, known.status.address, machine) };
      found.set(network, { closesAt: later(before.closesAt, closesAt), addresses });
    }
  }
  return [...found].map(([network, opening]) => ({ network, ...opening }));
}

/** 0 is never. */
function later(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

/** `host:port`: in the network if the machine is there, and in no case an address that only the machine itself can use. */
function addressFor(network: string, address: string, machine: SeenTask['machine']): string {
  const { network: networks = [], address: known = [] } = machine?.load ?? {};
  const own = networks.map((each) => each.replace(/\/\d+$/, ''));
  const host = own.find((each) => inSubnet(each, network)) ?? known[0];
  if (host === undefined) return address;
  return address.replace(/^.*(?=:\d+$)/, host.includes(':') ? `[${host}]` : host);
}
