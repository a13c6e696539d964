import type { Duplex } from 'node:stream';
import type { Client, ServerHostKeyAlgorithm } from 'ssh2';
import { deadlineExceeded } from '#proto/wire/status.ts';
import type { Authenticator } from './authenticator.ts';
import { connectError, HostKeyNotKnown } from './connect-errors.ts';
import type { HostKeyCheck } from './host-key-check.ts';
import type { SshSettings } from './ssh-settings.ts';

/** PAM takes two seconds for each wrong password. */
const LIMIT_MS = 30_000;
const KEEPALIVE_MS = 5000;

export interface DialOptions {
  readonly settings: SshSettings;
  readonly check: HostKeyCheck;
  readonly authenticator: Authenticator;
  /** Through a host between. */
  readonly via?: Duplex | undefined;
  readonly signal: AbortSignal;
}

/** In the order in which they are asked for where nothing is known of the host; weak ones are left out. */
const KEY_TYPES: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Connects and logs in once. Rejects with HostKeyNotKnown before anything is shown to a host whose key is not known. */
export async function dial({ settings, check, authenticator, via, signal }: DialOptions): Promise<Client> {
  // Most starts of Lanflow need no SSH.
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      finish();
      // Whatever it says from now on follows from this.
      client.on('error', () => undefined);
      client.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const onError = (error: Error & { level?: string }): void => {
      // That the SSH agent does not answer leaves the other ways.
      if (error.level !== 'agent') fail(connectError(error, settings, authenticator));
    };
    const onClose = (): void => fail(connectError(new Error('Connection lost before handshake'), settings, authenticator));
    const timer = setTimeout(
      () => fail(deadlineExceeded(`${settings.name} did not answer SSH in ${LIMIT_MS / 1000} s (${settings.host}, port ${settings.port})`)),
      LIMIT_MS,
    );
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      client.off('error', onError).off('close', onClose);
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort);
    client.on('error', onError).on('close', onClose);
    client.once('ready', () => {
      finish();
      // Each step is a few small messages there and back.
      client.setNoDelay(true);
      resolve(client);
    });
    client.connect({
      ...(via ? { sock: via } : { host: settings.host, port: settings.port }),
      username: settings.user,
      readyTimeout: 0,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: 3,
      algorithms: { serverHostKey: knownFirst(check.knownTypes) },
      hostVerifier: (key: Buffer) => {
        const isKnown = check.judge(key).kind === 'known';
        if (!isKnown) fail(new HostKeyNotKnown(key));
        return isKnown;
      },
      authHandler: authenticator.handler(() => fail(authenticator.refusal())),
    });
  });
}

/** A host with several keys is to show one that is known. */
function knownFirst(known: readonly string[]): ServerHostKeyAlgorithm[] {
  const isKnown = (type: string): boolean => known.includes(type.replace(/^rsa-sha2-.*/, 'ssh-rsa'));
  return [...KEY_TYPES.filter(isKnown), ...KEY_TYPES.filter((type) => !isKnown(type))];
}
