import { createPrivateKey, X509Certificate } from 'node:crypto';
import { handoversIn, keysOf, labOf } from '#proto/trust/authority-certificate.ts';
import { revokedSerials } from '#proto/trust/crl.ts';
import { identitiesText, readIdentities } from '#proto/trust/identity.ts';
import { readable } from '#proto/trust/readable.ts';
import type { Published } from '#proto/trust/succession.ts';
import { certificatesIn, timeProblem } from '#proto/trust/tls-files.ts';
import { failedPrecondition, invalidArgument } from '#proto/wire/status.ts';

/** PEM texts. */
export interface GivenTrust extends Published {
  /** Id of the lab. */
  readonly lab: string;
  readonly certificate: string;
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
  const authorities = readable("certificate of the lab's authority", () => certificatesIn(given.authority));
  const certificate = readable('certificate of this machine', () => new X509Certificate(given.certificate));
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
  readable('revocation list', () => revokedSerials(given.revocations, keysOf(authorities)));
  readable("handover of the lab's authority", () => handoversIn(given.handovers));
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

function checkTime(what: string, certificate: X509Certificate, now: Date): void {
  const problem = timeProblem(certificate, now);
  if (problem) throw failedPrecondition(`${what} ${problem}`);
}
