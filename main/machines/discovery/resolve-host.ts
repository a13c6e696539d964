import { lookup } from 'node:dns/promises';
import { byReach, type Interfaces } from '#proto/discovery/interfaces.ts';
import { familyOf } from '#proto/discovery/ip-address.ts';
import type { Discovery } from './discovery.ts';

export interface ResolveOptions {
  readonly discovery: Pick<Discovery, 'lookUp'>;
  readonly interfaces: Interfaces;
  readonly signal: AbortSignal;
}

/** Addresses of a host, those to try first are first: by DNS, and by what the machine itself tells the LAN. None: nobody knows the name. */
export async function resolveHost(host: string, { discovery, interfaces, signal }: ResolveOptions): Promise<readonly string[]> {
  if (familyOf(host)) return [host];
  const [system, lan] = await Promise.all([systemLookUp(host), discovery.lookUp(host, signal)]);
  return byReach([...system, ...lan], interfaces);
}

/** By the hosts file, DNS, and whatever else the system is set to ask. */
async function systemLookUp(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
