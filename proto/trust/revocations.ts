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
export function listsOf(pem: string, keys: readonly KeyObject[]): readonly string[] {
  return listsIn(pem).filter((list) => isOf(list, keys));
}

function joinLists(given: readonly string[], present: readonly string[], key: KeyObject): string {
  const known = revokedSerials(present.join(''), [key]);
  const isNews = present.length === 0 || [...revokedSerials(given.join(''), [key])].some((serial) => !known.has(serial));
  return withoutRepeated(isNews ? [...given, ...present] : present, key).join('');
}

/** Without lists that add nothing to those before them: there would be ever more of them. */
function withoutRepeated(lists: readonly string[], key: KeyObject): readonly string[] {
  const known = new Set<string>();
  return lists.filter((list, index) => {
    const news = [...revokedSerials(list, [key])].filter((serial) => !known.has(serial));
    for (const serial of news) known.add(serial);
    return index === 0 || news.length > 0;
  });
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
