import { type KnownHost, SSH_PORT, splitAddress } from './known-host.ts';

/** Machines to which the user has once connected by SSH. Those of hashed lines cannot be read; they are counted. */
export function parseKnownHosts(content: string): { readonly hosts: readonly KnownHost[]; readonly hashed: number } {
  const hosts = new Map<string, KnownHost>();
  let hashed = 0;
  for (const line of content.split(/\r?\n/)) {
    const words = line.trim().split(/\s+/);
    // A revoked key, or that of an authority, names no machine.
    if (line.trim().startsWith('#') || line.trim().startsWith('@') || words.length < 3) continue;
    const names = words[0] ?? '';
    if (names.startsWith('|')) hashed++;
    else for (const host of hostsOf(names)) if (!hosts.has(`${host.name}:${host.port}`)) hosts.set(`${host.name}:${host.port}`, host);
  }
  return { hosts: [...hosts.values()], hashed };
}

/** `name,address`: one machine under both. */
function hostsOf(names: string): KnownHost[] {
  const [first, ...rest] = names.split(',').filter((name) => !/[*?!]/.test(name));
  const named = first === undefined ? undefined : splitAddress(first);
  if (!named) return [];
  const other = rest.map(splitAddress).find((each) => each && /^[\d.]+$|:/.test(each.host));
  return [{ name: named.host, address: other?.host ?? named.host, port: named.port ?? SSH_PORT, source: 'known_hosts' }];
}
