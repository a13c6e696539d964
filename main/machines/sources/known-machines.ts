import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import type { KnownMachine } from '#proto/ipc/contract.ts';
import type { KnownHost } from './known-host.ts';
import { parseKnownHosts } from './known-hosts.ts';
import { parseSshConfig } from './ssh-config.ts';

/** What the SSH files of a user name; each machine once. Rejects when a file is there and cannot be read. */
export async function knownMachines(home: string): Promise<readonly KnownMachine[]> {
  const [config, hosts] = await Promise.all(['config', 'known_hosts'].map((name) => readIfThere(join(home, '.ssh', name))));
  const all: readonly KnownHost[] = [...parseSshConfig(config ?? ''), ...parseKnownHosts(hosts ?? '').hosts];
  const first = new Map<string, KnownHost>();
  for (const host of all) if (!first.has(placeOf(host))) first.set(placeOf(host), host);
  return [...first.values()].map(({ user = '', ...host }) => ({ ...host, user }));
}

function placeOf({ address, port }: KnownHost): string {
  return `${address} ${port}`;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(`${path} cannot be read`, error);
  }
}
