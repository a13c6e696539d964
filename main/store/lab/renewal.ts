import { createPrivateKey, X509Certificate } from 'node:crypto';
import { serialOf } from '#proto/trust/authority-certificate.ts';
import { readIdentities } from '#proto/trust/identity.ts';
import { checkRenewal, type Renewal } from '#proto/trust/renewal.ts';
import { alreadyExists, failedPrecondition, invalidArgument, notFound, permissionDenied } from '#proto/wire/status.ts';
import type { IssuedRecord, LabRecord } from './lab-file.ts';
import { isOfNewest, isOwned, issueWith, MARGIN_MS, owned } from './lab-record.ts';
import { publishedOf } from './succession.ts';

/**
 * The owner answers a user who asks for a new certificate: once for each that is about to end, or is of an earlier authority. Rejects
 * as `checkRenewal` does; with PERMISSION_DENIED when it was revoked or has ended, with FAILED_PRECONDITION when it is good for long,
 * with ALREADY_EXISTS when the answer was for another key.
 */
export async function withRenewal(
  record: LabRecord,
  renewal: Renewal,
  now: Date,
): Promise<{ readonly record: LabRecord; readonly certificate: string }> {
  owned(record);
  const present = checkRenewal(renewal, publishedOf(record).authority);
  const { publicKeyOfRequest } = await import('#proto/trust/certificate-request.ts');
  const publicKey = await publicKeyOfRequest(renewal.request);
  const issued = record.issued.find(({ serial }) => serial === serialOf(present));
  const whose = present.subject.replaceAll('\n', ', ');
  if (!issued) throw notFound(`The lab knows of no certificate of ${whose} with that serial number`);
  if (issued.revokedAt !== undefined) throw permissionDenied(`The certificate of ${whose} has been revoked, and is not renewed`);
  if (new Date(issued.expiresAt) < now) throw permissionDenied(`The certificate of ${whose} has ended, and is not renewed`);
  if (issued.renewed !== undefined) {
    if (spkiOf(issued.renewed).equals(Buffer.from(publicKey.rawData))) return { record, certificate: issued.renewed };
    throw alreadyExists(`The certificate of ${whose} has been renewed for another key: invite this user again`);
  }
  if (!isDue(record, issued, now)) throw failedPrecondition(`The certificate of ${whose} is good for long yet`);
  const made = await issueWith({ record, identities: readIdentities(present.subjectAltName), publicKey, now });
  const noted = made.record.issued.map((each) => (each.serial === issued.serial ? { ...each, renewed: made.certificate } : each));
  return { certificate: made.certificate, record: { ...made.record, issued: noted } };
}

/** Serial numbers of a certificate, of those that it was renewed by, and of those that it renews: of one user, and revoked together. */
export function renewalsOf({ issued }: LabRecord, serial: string): ReadonlySet<string> {
  const family = new Set([serial]);
  // Each renewal stands behind what it renews.
  for (const each of [...issued, ...issued.toReversed()]) {
    if (each.renewed === undefined) continue;
    const next = serialOf(new X509Certificate(each.renewed));
    if (family.has(each.serial) || family.has(next)) family.add(each.serial).add(next);
  }
  return family;
}

/** A guest's record with a key for his next certificate, if it is time for that; the same record if not, or if there is one, or for the owner. */
export async function withNextKey(record: LabRecord, now: Date): Promise<LabRecord> {
  const { user, authorities } = record;
  const certificate = new X509Certificate(user.certificate);
  const [newest] = authorities;
  const isOfEarlier = newest && !certificate.verify(new X509Certificate(newest.certificate).publicKey);
  const isEnding = new Date(certificate.validTo).getTime() - now.getTime() < MARGIN_MS;
  if (isOwned(record) || user.next || !(isOfEarlier || isEnding)) return record;
  const { makeRequest } = await import('#proto/trust/certificate-request.ts');
  return { ...record, user: { ...user, next: await makeRequest(user.name) } };
}

/** A guest's record with the certificate that the owner has issued for that key. INVALID_ARGUMENT when it is another one. */
export function withRenewed(record: LabRecord, pem: string): LabRecord {
  const { name, certificate: present, next } = record.user;
  const certificate = new X509Certificate(pem);
  const isOurs = record.authorities.some((each) => certificate.verify(new X509Certificate(each.certificate).publicKey));
  const isSame = certificate.subjectAltName === new X509Certificate(present).subjectAltName;
  if (!next || !isOurs || !isSame || !certificate.checkPrivateKey(createPrivateKey(next.key))) {
    throw invalidArgument('What was found as a new certificate of this user is none');
  }
  return { ...record, user: { name, certificate: pem, key: next.key } };
}

function isDue(record: LabRecord, issued: IssuedRecord, now: Date): boolean {
  return !isOfNewest(record)(issued) || new Date(issued.expiresAt).getTime() - now.getTime() < MARGIN_MS;
}

function spkiOf(pem: string): Buffer {
  return new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
}
