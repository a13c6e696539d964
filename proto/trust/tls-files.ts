import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { failedPrecondition, invalidArgument, notFound, permissionDenied, type StatusError, toStatusError } from '#proto/wire/status.ts';
import { revokedSerials } from './crl.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** The lab's authority; several certificates while it is being replaced. */
  readonly ca: string;
  /** Certificates that count no longer. */
  readonly crl?: string | undefined;
}

/** What the files hold, checked. */
export interface TlsMaterial {
  readonly certificate: X509Certificate;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly revoked: ReadonlySet<string>;
}

export interface ReadEnv {
  readonly now: Date;
  readonly warn: (line: string) => void;
}

/** LANFLOW_TLS_PLAINTEXT: `HOST` and `HOST:PORT`, by commas. */
export function plaintextOf(variables: Variables): readonly string[] {
  return (variables['LANFLOW_TLS_PLAINTEXT'] ?? '').split(',').filter((each) => each !== '');
}

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * LANFLOW_TLS_CERT, LANFLOW_TLS_KEY, LANFLOW_TLS_CA and LANFLOW_TLS_CRL; undefined when none is set, INVALID_ARGUMENT when one is
 * missing.
 */
export function tlsFilesOf(variables: Variables): TlsFiles | undefined {
  const value = (name: string) => variables[`LANFLOW_TLS_${name}`] || undefined;
  return completeFiles(
    { cert: value('CERT'), key: value('KEY'), ca: value('CA'), crl: value('CRL') },
    (field) => `LANFLOW_TLS_${field.toUpperCase()}`,
  );
}

/** All of certificate, key and authority, or nothing; INVALID_ARGUMENT that names what is missing as `nameOf` does. */
export function completeFiles(
  given: { readonly [F in keyof TlsFiles]?: string | undefined },
  nameOf: (field: string) => string,
): TlsFiles | undefined {
  const { cert, key, ca, crl } = given;
  if (cert !== undefined && key !== undefined && ca !== undefined) return { cert, key, ca, crl };
  if (cert === undefined && key === undefined && ca === undefined && crl === undefined) return undefined;
  const missing = (['cert', 'key', 'ca'] as const).filter((field) => given[field] === undefined).map(nameOf);
  throw invalidArgument(`${missing.join(' and ')} must be given too: TLS needs a certificate, its key and the lab's authority`);
}

/** Rejects what could not work, by name: files that are missing or do not belong together, and certificates of another time. */
export function readTlsFiles(files: TlsFiles, { now, warn }: ReadEnv): TlsMaterial {
  const cert = read(files.cert, 'certificate');
  const key = read(files.key, 'key of the certificate');
  const ca = read(files.ca, "certificate of the lab's authority");
  keepPrivate(files.key, warn);
  const certificate = parsed(files.cert, 'certificate', () => new X509Certificate(cert));
  const authorities = parsed(files.ca, 'certificate', () => certificatesIn(ca));
  const privateKey = parsed(files.key, 'private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw failedPrecondition(`The key ${files.key} does not belong to the certificate ${files.cert}`);
  if (!authorities.some((authority) => certificate.verify(authority.publicKey))) {
    throw failedPrecondition(
      `The certificate ${files.cert} was not issued by the authority ${files.ca}: they are of two labs, or the authority has been replaced`,
    );
  }
  const problem = timeProblem(certificate, now);
  if (problem) throw failedPrecondition(`The certificate ${files.cert} ${problem}`);
  const keys = authorities.map(({ publicKey }) => publicKey);
  return { certificate, cert, key, ca, revoked: files.crl === undefined ? new Set() : readRevoked(files.crl, keys) };
}

/** What is wrong with a certificate at this time, with the clock named as a suspect; undefined when nothing is. */
export function timeProblem(
  { validFrom, validTo }: { readonly validFrom: string; readonly validTo: string },
  now: Date,
): string | undefined {
  const clock = `this machine's clock says ${now.toISOString()}`;
  if (now < new Date(validFrom)) return `is not valid before ${new Date(validFrom).toISOString()}, and ${clock}: set the clock`;
  if (now > new Date(validTo))
    return `expired on ${new Date(validTo).toISOString()}, and ${clock}: set the clock if it is wrong, else have a new one issued`;
  return undefined;
}

export function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw invalidArgument('there is none in it');
  return blocks.map((block) => new X509Certificate(block));
}

/** A list that is not there yet is empty: nothing has been revoked. */
function readRevoked(path: string, keys: readonly KeyObject[]): ReadonlySet<string> {
  try {
    return revokedSerials(readFileSync(path, 'utf8'), keys);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw failedPrecondition(`The revocation list ${path} cannot be used: ${toStatusError(error).message}`, { cause: error });
  }
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw notFound(`The ${what} is missing: there is no file ${path}`, { cause: error });
    if (code === 'EACCES') throw permissionDenied(`The ${what} ${path} may not be read by this user`, { cause: error });
    throw failedPrecondition(`The ${what} ${path} cannot be read: ${toStatusError(error).message}`, { cause: error });
  }
}

function parsed<T>(path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw unreadable(path, what, error);
  }
}

function unreadable(path: string, what: string, error: unknown): StatusError {
  return failedPrecondition(`${path} holds no ${what} that can be read: ${toStatusError(error).message}`, { cause: error });
}

/** A key that others can read is taken back from them, with a word: they may have read it. */
export function keepPrivate(path: string, warn: (line: string) => void): void {
  if (process.platform === 'win32') return;
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const found = `${path} could be read by other users of this machine (mode ${mode.toString(8)})`;
  try {
    chmodSync(path, 0o600);
    warn(`${found}; it is now 600. If somebody may have read it, have it replaced.`);
  } catch (error) {
    warn(`${found}, and that cannot be mended: ${toStatusError(error).message}`);
  }
}
