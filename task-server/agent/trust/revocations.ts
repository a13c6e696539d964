import { revokedSerials } from '#proto/trust/crl.ts';
import { certificatesIn } from '#proto/trust/tls-files.ts';
import { StatusError } from '#proto/wire/status.ts';

/**
 * A new revocation list, and of the present ones those that go beyond it: who sends an older list than another user of the lab did
 * does not bring back what was revoked. Lists of other authorities than these are dropped.
 */
export function joinRevocations(given: string, present: string, authority: string): string {
  const keys = certificatesIn(authority).map(({ publicKey }) => publicKey);
  const known = revokedSerials(given, keys);
  const lists = present.match(/-----BEGIN X509 CRL-----[^-]+-----END X509 CRL-----\n?/g) ?? [];
  const more = lists.filter((list) => [...serialsOf(list)].some((serial) => !known.has(serial)));
  return [given, ...more].join('');

  function serialsOf(list: string): ReadonlySet<string> {
    try {
      return revokedSerials(list, keys);
    } catch (error) {
      if (error instanceof StatusError) return new Set();
      throw error;
    }
  }
}
