import { createPrivateKey, X509Certificate } from 'node:crypto';
import { revokedSerials } from '#proto/trust/crl.ts';
import { identitiesText, readIdentities } from '#proto/trust/identity.ts';
import { certificatesIn, timeProblem } from '#proto/trust/tls-files.ts';
import { failedPrecondition, invalidArgument, toStatusError } from '#proto/wire/status.ts';

/** PEM texts. */
export interface GivenTrust {
  /** Id of the lab. */
  readonly lab: string;
  readonly certificate: string;
  /** Newest first. */
  readonly authority: string;
  /** Empty: nothing has been revoked. */
  readonly revocations: string;
}

export interface CheckEnv {
  /** Id that the certificate must be for. */
  readonly machine: string;
  /** PEM; the certificate must belong to one of them. */
  readonly keys: readonly string[];
  readonly now: Date;
}

/**
 * The one of the keys that the certificate belongs to. INVALID_ARGUMENT that says what does not fit together; FAILED_PRECONDITION,
 * with the clock named, when certificates are of another time.
 */
export function checkTrust(given: GivenTrust, { machine, keys, now }: CheckEnv): string {
  const authorities = parsed("certificate of the lab's authority", () => certificatesIn(given.authority));
  const certificate = parsed('certificate of this machine', () => new X509Certificate(given.certificate));
  for (const authority of authorities) {
    if (labOf(authority) !== given.lab) {
      throw invalidArgument(`The authority is of ${authority.subject.replaceAll('\n', ', ')}, not of lab '${given.lab}'`);
    }
    checkTime("The certificate of the lab's authority", authority, now);
  }
  if (!authorities.some(({ publicKey }) => certificate.verify(publicKey))) {
    throw invalidArgument("The certificate for this machine was not issued by the lab's authority");
  }
  const identities = readIdentities(certificate.subjectAltName);
  if (!identities.some(({ kind, name }) => kind === 'machine' && name === machine)) {
    throw invalidArgument(`The certificate is for ${identitiesText(identities)}, and this is machine ${machine}`);
  }
  checkTime('The certificate of this machine', certificate, now);
  if (given.revocations !== '') {
    const publicKeys = authorities.map(({ publicKey }) => publicKey);
    parsed('revocation list', () => revokedSerials(given.revocations, publicKeys));
  }
  const key = keys.find((each) => belongsTo(certificate, each));
  if (key === undefined) {
    throw invalidArgument('The certificate does not belong to the key of this machine: ask the machine for a new request, and sign that');
  }
  return key;
}

/** What cannot be read as a key is none that belongs to anything. */
export function belongsTo(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Whether the certificates of an authority include the newest one of another text. */
export function continues(authority: string, earlier: string): boolean {
  const [newest] = certificatesIn(earlier);
  return certificatesIn(authority).some(({ fingerprint256 }) => fingerprint256 === newest?.fingerprint256);
}

/** Id of the lab that an authority's certificate is of; undefined when it is no authority of a lab. */
export function labOf({ subject, ca }: X509Certificate): string | undefined {
  return ca ? /^CN=Lanflow lab ([0-9a-f]{16})$/m.exec(subject)?.[1] : undefined;
}

function checkTime(what: string, certificate: X509Certificate, now: Date): void {
  const problem = timeProblem(certificate, now);
  if (problem) throw failedPrecondition(`${what} ${problem}`);
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw invalidArgument(`The ${what} cannot be read: ${toStatusError(error).message}`, { cause: error });
  }
}
