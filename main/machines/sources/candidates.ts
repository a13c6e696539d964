import type { InstallableMachine } from '../discovery/installable.ts';
import type { FoundMachine } from '../discovery/machine-table.ts';
import type { KnownHost } from './known-host.ts';

/** A machine without an agent that one knows of: it can be tried, and installed by SSH. */
export interface Candidate {
  readonly name: string;
  readonly address: string;
  /** Of SSH. */
  readonly port: number;
  readonly user?: string;
  /** Where it is known from; the first one is the surest. */
  readonly sources: readonly ('SSH on the LAN' | KnownHost['source'])[];
}

export interface CandidateSources {
  readonly found: readonly FoundMachine[];
  readonly installable: readonly InstallableMachine[];
  readonly hosts: readonly KnownHost[];
}

/** All that may be installed, each machine once. Those that have an agent are left out. */
export function candidates({ found, installable, hosts }: CandidateSources): readonly Candidate[] {
  const hasAgent = new Set(found.filter(({ isHere }) => isHere).flatMap(({ name, addresses }) => [name.toLowerCase(), ...addresses]));
  const list: Candidate[] = [];
  const seen = installable.map(({ name, addresses, port }) => ({
    name,
    address: addresses[0] ?? '',
    port,
    sources: ['SSH on the LAN'] as const,
  }));
  for (const each of [...seen, ...hosts.map(fromHost)]) {
    if (namesOf(each).some((name) => hasAgent.has(name))) continue;
    const i = list.findIndex((other) => other.port === each.port && namesOf(other).some((name) => namesOf(each).includes(name)));
    const known = list[i];
    if (known) list[i] = { ...each, ...known, sources: [...new Set([...known.sources, ...each.sources])] };
    else list.push(each);
  }
  return list;
}

function fromHost({ source, ...host }: KnownHost): Candidate {
  return { ...host, sources: [source] };
}

/** Without `.local` and without regard to case. */
function namesOf({ name, address }: { name: string; address: string }): readonly string[] {
  return [name, address].map((each) => each.toLowerCase().replace(/\.local$/, ''));
}
