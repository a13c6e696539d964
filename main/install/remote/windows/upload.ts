import { pipeline } from 'node:stream/promises';
import type { SFTPWrapper } from 'ssh2';
import { internal, resourceExhausted, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { Bundle } from '../../bundle/bundle.ts';
import type { SshConnection } from '../../ssh/ssh-connection.ts';
import { restOf } from '../rest-of-bundle.ts';
import type { WindowsPlace } from './place.ts';
import { runOrThrow } from './powershell.ts';

const LIMIT_MS = 20 * 60_000;
const CHECK_LIMIT_MS = 120_000;

export interface UploadOptions {
  readonly signal: AbortSignal;
  readonly onFraction: (fraction: number) => void;
}

/** Where a bundle lies until it is complete, in the folder of the installation. */
export function partFile({ sha256 }: Pick<Bundle, 'sha256'>): string {
  return `${sha256.slice(0, 16)}.part`;
}

/** By SFTP: what goes by standard input of a command is not safe from the login shell there. */
export async function upload(
  ssh: SshConnection,
  place: WindowsPlace,
  { bundle, ...options }: UploadOptions & { bundle: Bundle },
): Promise<void> {
  const path = place.sftp(partFile(bundle));
  const sftp = await ssh.openSftp();
  try {
    for (const isLast of [false, true]) {
      const begun = await sizeOf(sftp, path);
      await send(ssh, sftp, { bundle, path, start: begun <= bundle.size ? begun : 0, ...options });
      if ((await checksum(ssh, place, { bundle, signal: options.signal })) === bundle.sha256) return;
      await removeFile(sftp, path);
      if (isLast) throw internal(`What arrives on ${ssh.name} is not what was sent; its disk or the network is faulty`);
    }
  } finally {
    sftp.end();
  }
}

async function send(
  ssh: SshConnection,
  sftp: SFTPWrapper,
  { bundle, path, start, signal, onFraction }: UploadOptions & { bundle: Bundle; path: string; start: number },
): Promise<void> {
  if (start === bundle.size) return;
  const target = sftp.createWriteStream(path, { flags: start === 0 ? 'w' : 'r+', start });
  const late = AbortSignal.timeout(LIMIT_MS);
  try {
    await pipeline(restOf(bundle, start, onFraction), target, { signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    signal.throwIfAborted();
    throw ssh.isLost ? ssh.lost(error) : writeFailure(ssh, toStatusError(error).message);
  }
}

async function checksum(
  ssh: SshConnection,
  place: WindowsPlace,
  { bundle, signal }: { bundle: Bundle; signal: AbortSignal },
): Promise<string> {
  const script = `${place.script}\nsay (Get-FileHash -Algorithm SHA256 "$install\\${partFile(bundle)}").Hash`;
  const output = await runOrThrow(ssh, script, { signal, limitMs: CHECK_LIMIT_MS, explain: ({ stderr }) => writeFailure(ssh, stderr) });
  return output.trim().toLowerCase();
}

function sizeOf(sftp: SFTPWrapper, path: string): Promise<number> {
  return new Promise((resolve) => sftp.stat(path, (error, stats) => resolve(error ? 0 : stats.size)));
}

/** One that is gone already is as good. */
export function removeFile(sftp: SFTPWrapper, path: string): Promise<void> {
  return new Promise((resolve) => sftp.unlink(path, () => resolve()));
}

/** Why something could not be written or removed there. */
export function writeFailure({ name }: SshConnection, words: string): Error {
  if (/no space left|not enough space/i.test(words))
    return resourceExhausted(`The disk of ${name} is full; free some space there and try again`);
  return unavailable(`Lanflow could not be written on ${name}: ${words.slice(-300)}`);
}
