import { BlockList, isIP } from 'node:net';
import { invalidArgument } from '#proto/wire/status.ts';

/** A network that may connect in plain text. */
export interface Opening {
  /** `192.168.1.0/24`, or one address. */
  readonly network: string;
  /** From the start of the task; for ever when undefined. */
  readonly seconds?: number | undefined;
}

/** The ends of a connection. */
export interface Ends {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
}

/** Decides by its addresses whether a connection is served in plain text. */
export interface PeerFilter {
  admits(connection: Ends): boolean;
}

/** What timers take, 24 days: longer is better said as no limit. */
const MAX_SECONDS = 2_147_483;

/** `CIDR` or `CIDR=SECONDS`. INVALID_ARGUMENT for any other text. */
export function parseOpening(text: string): Opening {
  const [network = '', limit, ...rest] = text.split('=');
  addNetwork(new BlockList(), network);
  if (limit === undefined) return { network };
  const seconds = /^\d+$/.test(limit) && rest.length === 0 ? Number(limit) : 0;
  if (seconds >= 1 && seconds <= MAX_SECONDS) return { network, seconds };
  throw invalidArgument(`"${text}" is no opening: after = comes a number of seconds, from 1 to ${MAX_SECONDS}, like ${network}=3600`);
}

/** Admits this machine, over loopback or over an address of its own, and these networks. INVALID_ARGUMENT for what is none. */
export function createPeerFilter(allow: readonly string[]): PeerFilter {
  const allowed = new BlockList();
  allowed.addSubnet('127.0.0.0', 8, 'ipv4');
  allowed.addAddress('::1', 'ipv6');
  for (const cidr of allow) addNetwork(allowed, cidr);
  return {
    admits({ remoteAddress, localAddress }) {
      if (remoteAddress === undefined) return false;
      // No packet from outside has an address of this machine as its source.
      if (remoteAddress === localAddress) return true;
      const address = withoutMapping(remoteAddress);
      return allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

function addNetwork(list: BlockList, cidr: string): void {
  const [address = '', prefix, ...rest] = cidr.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(length <= bits)) {
    throw invalidArgument(`"${cidr}" is no network: write an address and a prefix length, like 192.168.1.0/24`);
  }
  list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
}

/** `::ffff:10.0.0.1` → `10.0.0.1`: how a dual-stack socket shows IPv4 peers. */
export function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
