import { SSH_SERVICE } from '#proto/discovery/dns.ts';
import { byReach, type Interfaces } from '#proto/discovery/interfaces.ts';
import type { FoundMachine } from './machine-table.ts';
import type { ServiceInstance } from './service-cache.ts';

/** A machine that announces SSH but no agent of Lanflow: it can be installed there. */
export interface InstallableMachine {
  readonly name: string;
  readonly host: string;
  readonly addresses: readonly string[];
  /** Of SSH. */
  readonly port: number;
}

export function installable(
  instances: readonly ServiceInstance[],
  found: readonly FoundMachine[],
  interfaces: Interfaces,
): readonly InstallableMachine[] {
  const own = Object.values(interfaces).flatMap((all = []) => all.map(({ address }) => address));
  const known = new Set([...own, ...found.filter(({ isHere }) => isHere).flatMap(({ addresses }) => addresses)]);
  return instances
    .filter(({ addresses }) => !addresses.some((address) => known.has(address)))
    .map(({ name, host, port, addresses }) => ({ name: labelOf(name), host, port, addresses: byReach(addresses, interfaces) }))
    .filter(({ addresses }) => addresses.length > 0);
}

const labelOf = (name: string): string => name.slice(0, -SSH_SERVICE.length - 1);
