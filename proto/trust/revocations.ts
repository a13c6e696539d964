import type { KeyObject } from 'node:crypto';
import { StatusError } from '#proto/wire/status.ts';
import { revokedSerials } from './crl.ts';

/**
 * The present revocation lists of these keys, and new ones where these go beyond them: who sends an older list than somebody else did
 * does not bring back what was revoked. Other lists are dropped; INVALID_ARGUMENT when there are new ones among them.
 */
export function joinRevocations(given: string, present: string, keys: readonly KeyObject[]): string {
  revokedSerials(given, keys);
  return keys.map((key) => joinLists(listsOf(given, [key]), listsOf(present, [key]), key)).join('');
}

/** Those of the lists that are signed with one of these keys. */
export function listsOf(pem: string, keys: readonly KeyObject[]): string {
  return listsIn(pem)
    .filter((list) => isOf(list, keys))
    .join('');
}

function joinLists(given: string, present: string, key: KeyObject): string {
  const goesBeyond = (list: string, other: string): boolean => {
    const known = revokedSerials(other, [key]);
    return [...revokedSerials(list, [key])].some((serial) => !known.has(serial));
  };
  if (present !== '' && !goesBeyond(given, present)) return present;
  return [given, ...listsIn(present).filter((list) => goesBeyond(list, given))].join('');
}

function listsIn(pem: string): readonly string[] {
  return (pem.match(/-----BEGIN X509 CRL-----[^-]+-----END X509 CRL-----/g) ?? []).map((list) => `${list}\n`);
}

function isOf(list: string, keys: readonly KeyObject[]): boolean {
  try {
    revokedSerials(list, keys);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}
