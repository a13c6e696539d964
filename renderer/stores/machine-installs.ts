import type { InstallInfo, MachineInfo, SshTarget } from '#proto/ipc/contract.ts';

const SSH_PORT = 22;

/** Where SSH is tried on a machine: the port of one with an agent is its agent's. */
export function targetOf({ addresses, name, port, state }: MachineInfo): SshTarget {
  return { host: addresses[0] ?? name, port: state === 'installable' && port > 0 ? port : SSH_PORT };
}

/** The newest work on a machine, by whichever of its addresses. */
export function installOf({ addresses }: Pick<MachineInfo, 'addresses'>, installs: readonly InstallInfo[]): InstallInfo | undefined {
  return installs.findLast(({ host }) => addresses.includes(host));
}

export function isSameTarget(a: SshTarget, b: SshTarget): boolean {
  return a.host === b.host && a.port === b.port;
}

/** The work on those machines. */
export function installsOn(targets: readonly SshTarget[], installs: readonly InstallInfo[]): readonly InstallInfo[] {
  return installs.filter((install) => targets.some((target) => isSameTarget(target, install)));
}

export function plainTarget({ host, port }: SshTarget): SshTarget {
  return { host, port };
}

export function isUnderWay({ stage }: Pick<InstallInfo, 'stage'>): boolean {
  return stage !== 'done' && stage !== 'failed' && stage !== 'cancelled';
}

/** `10.0.4.17`, with the port where it is not the usual one: `10.0.4.17:2222`, `[fe80::1]:2222`. */
export function targetText({ host, port }: SshTarget): string {
  if (port === SSH_PORT) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const IPV6 = /^[\da-f]*:[\da-f:.]*(%\w+)?$/i;

/** What `targetText` writes, as people type it. Undefined: it is no address. */
export function parseTarget(text: string): SshTarget | undefined {
  const typed = text.trim();
  // The last group of a bare IPv6 address is no port.
  if (IPV6.test(typed) && typed.split(':').length > 2) return { host: typed, port: SSH_PORT };
  const [, bracketed, plain, port] = /^(?:\[([^\]\s]+)\]|([^\s@:[\]]+))(?::(\d+))?$/.exec(typed) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? SSH_PORT : Number(port);
  return host !== undefined && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}

/** Where SSH is tried on a machine of which only a name or an agent's address is known. */
export function sshTarget(nameOrAddress: string): SshTarget {
  return { host: parseTarget(nameOrAddress)?.host ?? nameOrAddress, port: SSH_PORT };
}
