import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ParsedKey } from 'ssh2';
import { fileError } from '#proto/files/file-error.ts';
import { invalidArgument, permissionDenied } from '#proto/wire/status.ts';

/**
 * A private key in OpenSSH's or a PEM form. PERMISSION_DENIED when it needs a passphrase, or another one; INVALID_ARGUMENT when it is
 * no private key.
 */
export async function readPrivateKey(path: string, passphrase: string): Promise<ParsedKey> {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileError(`${path} cannot be read`, error);
  });
  const kind = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(content)?.[1] ?? '';
  if (content.startsWith('PuTTY-User-Key-File')) {
    throw invalidArgument(`${path} is a key of PuTTY. Convert it with: puttygen '${path}' -O private-openssh-new -o KEY`);
  }
  if (/^(ssh-|ecdsa-|sk-)\S+ \S+/.test(content) || kind.includes('PUBLIC KEY'))
    throw invalidArgument(`${path} is a public key; the private one is usually beside it, under the same name without .pub`);
  if (!kind.endsWith('PRIVATE KEY')) throw invalidArgument(`${path} is not a private key`);
  const parsed = await parse(
    kind === 'PRIVATE KEY' || kind === 'ENCRYPTED PRIVATE KEY' ? unpackPkcs8(content, path, passphrase) : content,
    passphrase,
  );
  if (!(parsed instanceof Error)) return parsed;
  if (/passphrase|integrity|decrypt/i.test(parsed.message)) throw passphraseProblem(path, passphrase);
  throw invalidArgument(`${path}: this form of a private key is not supported: ${parsed.message}`, { cause: parsed });
}

async function parse(content: string, passphrase: string): Promise<ParsedKey | Error> {
  const { default: ssh2 } = await import('ssh2');
  const parsed = ssh2.utils.parseKey(content, passphrase === '' ? undefined : passphrase);
  // The type says one key; of a file that holds several ssh2 gives all.
  return Array.isArray(parsed) ? (parsed[0] ?? new Error('no key in it')) : parsed;
}

/** ssh2 knows the older PEM forms only. */
function unpackPkcs8(content: string, path: string, passphrase: string): string {
  try {
    const key = createPrivateKey({ key: content, format: 'pem', ...(passphrase !== '' && { passphrase }) });
    if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
    if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  } catch (error) {
    if (content.includes('ENCRYPTED')) throw passphraseProblem(path, passphrase);
    throw invalidArgument(`${path} is damaged: no key can be read from it`, { cause: error });
  }
  throw invalidArgument(`${path}: convert it to OpenSSH's form with: ssh-keygen -p -f '${path}'`);
}

function passphraseProblem(path: string, passphrase: string) {
  return permissionDenied(passphrase === '' ? `The key ${path} needs its passphrase` : `The passphrase of the key ${path} is another one`);
}
