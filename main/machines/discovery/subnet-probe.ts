import { connectTcp, type TcpOutcome } from '#proto/discovery/connect-tcp.ts';
import { type InterfaceAddress, type Interfaces, usableInterfaces } from '#proto/discovery/interfaces.ts';

export interface SubnetProbeOptions {
  readonly interfaces: Interfaces;
  readonly port: number;
  readonly signal: AbortSignal;
  /** Asks who it is, where the port is open; undefined: not an agent. */
  readonly identify: (address: string, port: number) => Promise<boolean>;
  readonly onFound: (address: string) => void;
  readonly onProgress: (numbers: ProbeNumbers) => void;
  readonly connect?: (address: string, port: number, signal: AbortSignal) => Promise<TcpOutcome>;
}

/** Addresses. */
export interface ProbeNumbers {
  readonly tried: number;
  readonly all: number;
}

const AT_ONCE = 64;
const MAX_ADDRESSES = 254;
const LIMIT_MS = 1000;

/**
 * Knocks at the agent's port of every address of the own subnets, for networks that carry no multicast. Only when the user asks
 * for it: other networks' watchmen may take it for an attack. Resolves to how many addresses were tried, fewer than all when it was
 * ended.
 */
export async function probeSubnets(options: SubnetProbeOptions): Promise<ProbeNumbers> {
  const { interfaces, port, signal, identify, onFound, onProgress } = options;
  const connect = options.connect ?? ((address, at, stop) => connectTcp(address, at, { timeout: LIMIT_MS, signal: stop }));
  const addresses = neighbours(interfaces);
  let next = 0;
  let tried = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < addresses.length && !signal.aborted; i = next++) {
      const address = addresses[i] ?? '';
      const isOpen = (await connect(address, port, signal)) === 'open';
      if (isOpen && !signal.aborted && (await identify(address, port))) onFound(address);
      onProgress({ tried: ++tried, all: addresses.length });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { tried, all: addresses.length };
}

/** All other IPv4 addresses of the own subnets; of a large one those around the own address. At most 254 in all, shared fairly. */
export function neighbours(interfaces: Interfaces): readonly string[] {
  const own = usableInterfaces(interfaces).flatMap(([, addresses]) => addresses.filter(({ family, cidr }) => family === 'IPv4' && cidr));
  const subnets = own.map(subnetOf);
  const all: string[] = [];
  for (let i = 0; all.length < MAX_ADDRESSES && subnets.some((subnet) => i < subnet.length); i++) {
    all.push(...subnets.flatMap((subnet) => subnet[i] ?? []));
  }
  const ownAddresses = new Set(own.map(({ address }) => address));
  return [...new Set(all)].filter((address) => !ownAddresses.has(address)).slice(0, MAX_ADDRESSES);
}

const MIN_PREFIX = 24;

function subnetOf({ address, cidr }: InterfaceAddress): readonly string[] {
  const prefix = Math.max(MIN_PREFIX, Number(cidr?.split('/')[1]));
  const size = 2 ** (32 - prefix);
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const base = Math.floor(value / size) * size;
  // Neither the network's own address nor that of its broadcast.
  const [first, count] = size > 2 ? [base + 1, size - 2] : [base, size];
  return Array.from({ length: count }, (_, i) => toText(first + i));
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
