import { X509Certificate } from 'node:crypto';
import { keysOf, serialOf } from '#proto/trust/authority-certificate.ts';
import { revokedSerials } from '#proto/trust/crl.ts';
import type { LabRecord } from './lab-file.ts';
import { MARGIN_MS } from './lab-record.ts';

/** Why a user's certificate is of no use, or soon will be, with the way out. */
export interface StandingProblem {
  readonly text: string;
  /** The machines of the lab refuse it. */
  readonly isRefused: boolean;
}

const WAY = 'have its owner invite you again (lanflow lab invite), and join as you did before';

/** Undefined when all is well with the user's own certificate. */
export function standingProblem({ id, user, authorities, revocations }: LabRecord, now: Date): StandingProblem | undefined {
  const certificate = new X509Certificate(user.certificate);
  const issuers = authorities.map((each) => new X509Certificate(each.certificate));
  if (!issuers.some(({ publicKey }) => certificate.verify(publicKey))) {
    return { text: `The authority of your certificate of lab ${id} has been replaced: ${WAY}`, isRefused: true };
  }
  if (revokedSerials(revocations, keysOf(issuers)).has(serialOf(certificate))) {
    return { text: `Your certificate of lab ${id} has been revoked; if that was a mistake, ${WAY}`, isRefused: true };
  }
  const ends = new Date(certificate.validTo);
  if (ends.getTime() - now.getTime() >= MARGIN_MS) return undefined;
  const until = `Your certificate of lab ${id} ends on ${ends.toISOString().slice(0, 10)}`;
  return {
    text: `${until}, and is renewed when its owner reaches a machine that you have reached before; if he does not, ${WAY}`,
    isRefused: false,
  };
}
