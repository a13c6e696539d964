import { inSubnet } from '#proto/discovery/ip-address.ts';

/** Where a machine is on the LAN. */
export interface MachinePlace {
  /** Its addresses with the size of their subnet: `10.0.0.5/24`. */
  readonly networks: readonly string[];
  /** Under which it was reached, those to try first are first. */
  readonly addresses: readonly string[];
}

/**
 * The address of a machine under which all others reach it without a router: one in a subnet that they are on too, IPv4 before IPv6.
 * Without such a subnet the address that it is known by; undefined when it has none.
 */
export function commonHost({ networks, addresses }: MachinePlace, others: readonly MachinePlace[]): string | undefined {
  const isShared = (network: string): boolean => others.every((other) => addressesOf(other).some((address) => inSubnet(address, network)));
  const shared = networks.filter(isShared).map(addressIn).sort(ipv4First);
  return shared[0] ?? addresses[0] ?? networks.map(addressIn).sort(ipv4First)[0];
}

function addressesOf({ networks, addresses }: MachinePlace): readonly string[] {
  return networks.length > 0 ? networks.map(addressIn) : addresses;
}

function addressIn(network: string): string {
  return network.replace(/\/\d+$/, '');
}

function ipv4First(a: string, b: string): number {
  return Number(a.includes(':')) - Number(b.includes(':'));
}
