import { networkInterfaces } from 'node:os';
import { ownAddresses } from '#proto/discovery/interfaces.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { splitAddress } from '../sources/known-host.ts';
import type { AgentPlace } from './hello.ts';

/** Where a guest finds an invitation of this machine: `host:port` each. */
export function invitationPlaces(port: number): readonly string[] {
  return ownAddresses(networkInterfaces()).map((host) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`));
}

/** As a guest types it. INVALID_ARGUMENT when it is no `host:port`. */
export function parseInvitationPlace(text: string): AgentPlace {
  const { host = '', port } = splitAddress(text.trim()) ?? {};
  if (host === '' || port === undefined) throw invalidArgument(`'${text.slice(0, 100)}' is no HOST:PORT as an invitation shows it`);
  return { host, port };
}
