import type { KeyObject, X509Certificate } from 'node:crypto';
import { normalSerial } from './crl.ts';
import { certificatesIn } from './tls-files.ts';

/** Id of the lab that an authority's certificate is of; undefined when it is no authority of a lab. */
export function labOf({ subject, ca }: X509Certificate): string | undefined {
  return ca ? /^CN=Lanflow lab ([0-9a-f]{16})$/m.exec(subject)?.[1] : undefined;
}

/** In the form that revocation lists have. */
export function serialOf({ serialNumber }: X509Certificate): string {
  return normalSerial(serialNumber);
}

/** Whether an authority has signed this certificate for the key of its successor: the "new with old" of RFC 4210. */
export function handsOver(
  handover: X509Certificate,
  { from, to }: { readonly from: X509Certificate; readonly to: X509Certificate },
): boolean {
  const lab = labOf(from);
  if (lab === undefined || labOf(handover) !== lab || labOf(to) !== lab) return false;
  return handover.verify(from.publicKey) && handover.publicKey.equals(to.publicKey) && to.verify(to.publicKey);
}

/** Most labs have none. */
export function handoversIn(pem: string): readonly X509Certificate[] {
  return pem === '' ? [] : certificatesIn(pem);
}

export function isAmong(certificates: readonly X509Certificate[], certificate: X509Certificate): boolean {
  return certificates.some(({ raw }) => raw.equals(certificate.raw));
}

export function keysOf(certificates: readonly X509Certificate[]): readonly KeyObject[] {
  return certificates.map(({ publicKey }) => publicKey);
}

export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((each) => `${each.toString().trim()}\n`).join('');
}
