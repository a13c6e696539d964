import { X509Certificate } from 'node:crypto';
import { normalSerial } from '#proto/trust/crl.ts';
import { type Identity, identityUri } from '#proto/trust/identity.ts';
import { invalidArgument, permissionDenied } from '#proto/wire/status.ts';
import type { IssuedRecord, LabRecord } from './lab-file.ts';

/** The authority is made for long, the rest is renewed. */
export const DAYS = { authority: 3650, machine: 730, user: 365, task: 90 } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The own certificate is renewed this long before it ends; records of certificates are kept this long after. */
export const MARGIN_MS = 30 * DAY_MS;

export interface IssueOptions {
  readonly record: LabRecord;
  readonly identities: readonly Identity[];
  readonly publicKey: Parameters<typeof import('./certificates.ts').issueCertificate>[2]['publicKey'];
  readonly now: Date;
}

/** A certificate of the newest authority, and the record with it. */
export async function issueWith({ record, identities, publicKey, now }: IssueOptions): Promise<{ certificate: string; record: LabRecord }> {
  if (identities.length === 0) throw invalidArgument('A certificate must be for somebody');
  const { issueCertificate } = await import('./certificates.ts');
  const days = Math.min(...identities.map(({ kind }) => DAYS[kind]));
  const authority = owned(record);
  const certificate = await issueCertificate(authority, identities, { publicKey, now, days });
  const { serialNumber, fingerprint256, validTo } = new X509Certificate(certificate);
  const entry: IssuedRecord = {
    serial: normalSerial(serialNumber),
    names: identities.map(identityUri),
    fingerprint: fingerprint256,
    issuedAt: now.toISOString(),
    expiresAt: new Date(validTo).toISOString(),
    issuer: new X509Certificate(authority.certificate).fingerprint256,
  };
  return { certificate, record: { ...record, issued: [...record.issued, entry] } };
}

/** The record with a new certificate of the owner's own. */
export async function withUser(record: LabRecord, now: Date): Promise<LabRecord> {
  const { newKeys, privateKeyPem } = await import('./certificates.ts');
  const { name } = record.user;
  const keys = await newKeys();
  const made = await issueWith({ record, identities: [{ kind: 'user', name }], publicKey: keys.publicKey, now });
  return { ...made.record, user: { name, certificate: made.certificate, key: privateKeyPem(keys.privateKey) } };
}

/** The newest authority with its key; PERMISSION_DENIED where that is not. */
export function owned({ id, authorities }: LabRecord): { readonly certificate: string; readonly key: string } {
  const [newest] = authorities;
  if (newest?.key !== undefined) return { certificate: newest.certificate, key: newest.key };
  throw permissionDenied(`Only the owner of the lab ${id} can issue and revoke certificates: the key of its authority is not here`);
}

/** Whether a certificate is of the newest authority. */
export function isOfNewest({ authorities: [newest, ...older] }: LabRecord): (each: IssuedRecord) => boolean {
  const fingerprint = newest && new X509Certificate(newest.certificate).fingerprint256;
  return ({ issuer }) => (issuer === undefined ? older.length === 0 : issuer === fingerprint);
}

/** Whether certificates can be issued here. */
export function isOwned({ authorities }: Pick<LabRecord, 'authorities'>): boolean {
  return authorities[0]?.key !== undefined;
}

/** Certificates that ended long ago need no record, and no place on the revocation list. */
export function forgetOld(record: LabRecord, now: Date): LabRecord {
  const issued = record.issued.filter(({ expiresAt }) => now.getTime() - new Date(expiresAt).getTime() < MARGIN_MS);
  return issued.length === record.issued.length ? record : { ...record, issued };
}
