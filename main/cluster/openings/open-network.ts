import { inSubnet, subnetOf } from '#proto/discovery/ip-address.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** A network to open a cluster to, and for how long. */
export interface WantedOpening {
  /** CIDR */
  readonly network: string;
  readonly seconds: number;
}

/** Larger ones are no networks of a lab, but a slip of the finger. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 16 };
const THIS_MACHINE = ['127.0.0.0/8', '::1/128'];

/** `192.168.1.7/24`, or one address, as `192.168.1.0/24`. INVALID_ARGUMENT for what nobody in a lab would open. */
export function checkedNetwork(text: string): string {
  const network = subnetOf(text.trim());
  if (network === undefined) throw invalidArgument(`"${text}" is no network: write an address and a prefix length, like 192.168.1.0/24`);
  const [address = '', prefix] = network.split('/');
  const shortest = address.includes(':') ? SHORTEST_PREFIX.ipv6 : SHORTEST_PREFIX.ipv4;
  if (Number(prefix) < shortest)
    throw invalidArgument(`${network} is too large a network to be opened: its prefix must be /${shortest} or longer`);
  if (THIS_MACHINE.some((own) => inSubnet(address, own)))
    throw invalidArgument(`${network} is this machine itself, which may connect anyway`);
  return network;
}
