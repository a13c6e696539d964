import { type KnownHost, SSH_PORT, splitAddress } from './known-host.ts';

export interface HostfileProblem {
  readonly line: number;
  readonly text: string;
}

/**
 * A list of machines, one a line, as Open MPI knows it: `[user@]host[:port] [slots=4]`, `#` starts a comment.
 * Lines that name no machine are told.
 */
export function parseHostfile(content: string): { readonly hosts: readonly KnownHost[]; readonly problems: readonly HostfileProblem[] } {
  const hosts = new Map<string, KnownHost>();
  const problems: HostfileProblem[] = [];
  for (const [i, whole] of content.split(/\r?\n/).entries()) {
    const text = whole.replace(/#.*/, '').trim();
    if (text === '') continue;
    const host = parseLine(text);
    if (!host) problems.push({ line: i + 1, text: whole.trim().slice(0, 200) });
    else if (!hosts.has(host.address)) hosts.set(host.address, host);
  }
  return { hosts: [...hosts.values()], problems };
}

const NAME = /^[\p{L}\p{N}_.:%-]+$/u;

function parseLine(text: string): KnownHost | undefined {
  const [first = '', ...rest] = text.split(/[\s,]+/);
  if (!rest.every((word) => /^[a-z_-]+=\S+$/i.test(word))) return undefined;
  const [, user, place = ''] = /^(?:([^@\s]+)@)?(.+)$/.exec(first) ?? [];
  const address = splitAddress(place);
  if (!address || !NAME.test(address.host)) return undefined;
  return { name: address.host, address: address.host, port: address.port ?? SSH_PORT, source: 'hostfile', ...(user && { user }) };
}
