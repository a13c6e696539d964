import { type IpFamily, inSubnet, isLinkLocal, withoutScope } from './ip-address.ts';

/** One address of a network interface, as Node's `os.networkInterfaces()` tells it. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: IpFamily;
  readonly internal: boolean;
  readonly mac: string;
  readonly cidr: string | null;
  /** Number of the interface, with IPv6 addresses. */
  readonly scopeid?: number | undefined;
}

/** All that are up, by name. */
export type Interfaces = Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;

/**
 * Made by programs for machines and networks inside this machine, or for private networks elsewhere: nobody on the LAN can use
 * them. Inside a container its own interface has none of these names.
 */
const NOT_THE_LAN =
  /^(docker|br-|veth|virbr|vnet|cni|flannel|cali|cilium|podman|lxcbr|lxdbr|vmnet|vboxnet|vEthernet|tun|tap|wg|utun|tailscale|zt|awdl|llw|anpi|bridge\d)/;

/** Those that are on a LAN. */
export function usableInterfaces(interfaces: Interfaces): readonly (readonly [name: string, addresses: readonly InterfaceAddress[]])[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) => {
    const usable = addresses.filter(({ internal }) => !internal);
    return usable.length === 0 || NOT_THE_LAN.test(name) ? [] : [[name, usable] as const];
  });
}

/** Under which addresses others reach this machine. Link-local ones only when there are no others. */
export function ownAddresses(interfaces: Interfaces): readonly string[] {
  const all = usableInterfaces(interfaces).flatMap(([, addresses]) => addresses.map(({ address }) => withoutScope(address)));
  const routable = all.filter((address) => !isLinkLocal(address));
  return [...new Set(routable.length > 0 ? routable : all)].sort(ipv4First);
}

/** The subnets of these addresses: `10.0.0.5/24`. */
export function ownNetworks(interfaces: Interfaces): readonly string[] {
  const own = new Set(ownAddresses(interfaces));
  const all = usableInterfaces(interfaces).flatMap(([, addresses]) => addresses);
  return all.flatMap(({ address, cidr }) => (cidr !== null && own.has(withoutScope(address)) ? [cidr] : []));
}

/**
 * Addresses of another machine in the order in which to try them: those in a subnet of this one first, and IPv4 before IPv6.
 * Link-local ones are last. An address that this machine has itself on an interface that is not on the LAN (each Docker host has
 * 172.17.0.1) is left out.
 */
export function byReach(addresses: readonly string[], interfaces: Interfaces): readonly string[] {
  const usable = usableInterfaces(interfaces);
  const onLan = usable.flatMap(([, all]) => all);
  const rank = (address: string): number => {
    if (isLinkLocal(address)) return 4;
    return (isInSubnetOf(onLan, address) ? 0 : 2) + (address.includes(':') ? 1 : 0);
  };
  const inner = Object.entries(interfaces).flatMap(([name, all = []]) => (usable.some(([each]) => each === name) ? [] : all));
  return [...new Set(addresses)]
    .filter((address) => !inner.some((own) => own.address === address))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

export function isInSubnetOf(own: readonly InterfaceAddress[], address: string): boolean {
  return own.some(({ cidr }) => cidr !== null && inSubnet(address, cidr));
}

function ipv4First(a: string, b: string): number {
  return Number(a.includes(':')) - Number(b.includes(':')) || (a < b ? -1 : 1);
}
