import { failedPrecondition, notFound, type StatusError, unavailable } from '#proto/wire/status.ts';
import type { Authenticator } from './authenticator.ts';
import type { SshSettings } from './ssh-settings.ts';

/** The host shows a key that known_hosts does not have: the user must be asked before anything goes on. */
export class HostKeyNotKnown extends Error {
  override readonly name = 'HostKeyNotKnown';
  readonly key: Buffer;

  constructor(key: Buffer) {
    super('The key of the host is not known');
    this.key = key;
  }
}

/** The server hung up before it said anything, as it does with some of many logins at once, or after too many tries. */
export class Dropped extends Error {
  override readonly name = 'Dropped';
  readonly isAuthenticating: boolean;

  constructor(isAuthenticating: boolean, cause: Error) {
    super(cause.message, { cause });
    this.isAuthenticating = isAuthenticating;
  }
}

const reasons: Readonly<Record<string, (settings: SshSettings) => StatusError>> = {
  ECONNREFUSED: ({ name, port }) =>
    unavailable(`No SSH server answers on ${name}, port ${port}: install openssh-server there, or give the port that it has`),
  ENOTFOUND: ({ name, host }) =>
    notFound(`No machine is called '${host}'${name === host ? '' : ` (${name})`}: check the name, or give its address`),
  EHOSTUNREACH: ({ name, host }) => unavailable(`${name} (${host}) cannot be reached: it is switched off, or in another network`),
  ENETUNREACH: ({ name, host }) => unavailable(`No way leads from this machine to ${name} (${host})`),
  ETIMEDOUT: ({ name, host, port }) =>
    unavailable(`${name} (${host}) does not answer on port ${port}: it is off, or a firewall drops what comes`),
};

/** What an error of ssh2 means for the user. */
export function connectError(
  error: Error & { level?: string; code?: unknown },
  settings: SshSettings,
  authenticator: Authenticator,
): Error {
  const code = error.code === 'EAI_AGAIN' ? 'ENOTFOUND' : String(error.code ?? '');
  const known = reasons[code];
  if (known) return known(settings);
  if (/Too many authentication failures/i.test(error.message))
    return authenticator.hasMore ? new Dropped(true, error) : authenticator.refusal();
  if (code === 'ECONNRESET' || code === 'EPIPE' || /before handshake|No response from server/.test(error.message))
    return new Dropped(false, error);
  if (error.level === 'handshake' || /no matching/i.test(error.message))
    return failedPrecondition(`${settings.name} and Lanflow have no SSH algorithm in common (${error.message}); update its SSH server`, {
      cause: error,
    });
  return unavailable(`The SSH connection to ${settings.name} failed: ${error.message}`, { cause: error });
}
