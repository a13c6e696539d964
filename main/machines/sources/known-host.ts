/** A computer that a file of the user names. */
export interface KnownHost {
  readonly name: string;
  /** What to connect to: an address or a name. */
  readonly address: string;
  /** Of SSH; 22 where the file says nothing. */
  readonly port: number;
  readonly user?: string;
  readonly source: 'hostfile' | 'ssh config' | 'known_hosts';
}

export const SSH_PORT = 22;

/** `host`, `host:22`, `[fe80::1]:22` or a bare IPv6 address. */
export function splitAddress(text: string): { readonly host: string; readonly port: number | undefined } | undefined {
  const match = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text) ?? /^([0-9a-f:.]+(?:%\S+)?)$/i.exec(text);
  if (!match?.[1]) return undefined;
  const port = match[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { host: match[1], port };
}
