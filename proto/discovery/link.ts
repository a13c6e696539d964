import { type Interfaces, usableInterfaces } from './interfaces.ts';
import { type IpFamily, inSubnet, scopeOf, unmapped } from './ip-address.ts';

/** One network interface and family on which multicast DNS is spoken. */
export interface Link {
  /** Another one when anything changed that its socket depends on. */
  readonly key: string;
  /** Of the interface. */
  readonly name: string;
  readonly family: IpFamily;
  /** Its own address there. */
  readonly address: string;
  readonly cidr: string | null;
  /** Number of the interface, as Windows tells where a packet came from. */
  readonly index: number | undefined;
}

/** One per interface and family. IPv6 speaks from its link-local address, which every interface with IPv6 has. */
export function linksOf(interfaces: Interfaces): readonly Link[] {
  return usableInterfaces(interfaces).flatMap(([name, addresses]) => {
    const index = addresses.find(({ scopeid }) => scopeid)?.scopeid;
    return (['IPv4', 'IPv6'] as const).flatMap((family): Link[] => {
      const own = addresses.filter((each) => each.family === family);
      const chosen = own.find(({ address }) => family === 'IPv4' || address.startsWith('fe80')) ?? own[0];
      if (!chosen) return [];
      const { address, cidr, mac } = chosen;
      return [{ key: [family, name, address, mac, index].join(' '), name, family, address, cidr, index }];
    });
  });
}

/** How multicast-dns is told to use it. */
export function socketOptions({ family, address, name, index }: Link, isWindows: boolean) {
  if (family === 'IPv4') return { type: 'udp4', interface: address, bind: '0.0.0.0' } as const;
  return { type: 'udp6', ip: 'ff02::fb', interface: `::%${isWindows ? index : name}`, bind: '::' } as const;
}

/**
 * Whether a packet came over this link. Every socket hears what comes over any interface, and on each packet only one should act.
 * A machine of another subnet on the same wire is heard on all of the links: which one it is cannot be told.
 */
export function cameOver(link: Link, from: string, links: readonly Link[]): boolean {
  const address = unmapped(from);
  if (link.family === 'IPv6') {
    if (!address.includes(':')) return false;
    const scope = scopeOf(address);
    return scope === undefined || scope === link.name || scope === String(link.index);
  }
  if (address.includes(':')) return false;
  const isOn = ({ cidr }: Link): boolean => cidr !== null && inSubnet(address, cidr);
  return isOn(link) || !links.some(isOn);
}
