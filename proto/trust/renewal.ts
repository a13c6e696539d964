import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto';
import { invalidArgument } from '#proto/wire/status.ts';
import { readIdentities } from './identity.ts';
import { readable } from './readable.ts';
import { certificatesIn } from './tls-files.ts';

/** A user asks to have his certificate renewed. Whoever carries it, only who has the key of the certificate can have made it. */
export interface Renewal {
  /** The present one, PEM. */
  readonly certificate: string;
  /** PKCS#10 for the key of the next one, PEM. */
  readonly request: string;
  /** Of the request, with the key of the present certificate. */
  readonly signature: Uint8Array;
}

/** Several times what either text can need. */
const MAX_LENGTH = 8192;

export function signRenewal({ certificate, key, request }: Pick<Renewal, 'certificate' | 'request'> & { readonly key: string }): Renewal {
  return { certificate, request, signature: sign('sha256', signedText(request), createPrivateKey(key)) };
}

/**
 * The present certificate: of a user of the lab with these authorities, who has signed the request. Whether it has been revoked is not
 * looked at. INVALID_ARGUMENT that says what is wrong.
 */
export function checkRenewal({ certificate: pem, request, signature }: Renewal, authorities: string): X509Certificate {
  if (pem.length > MAX_LENGTH || request.length > MAX_LENGTH) throw invalidArgument('The request to renew a certificate is too long');
  const certificate = readable('certificate to be renewed', () => new X509Certificate(pem));
  if (!certificatesIn(authorities).some(({ publicKey }) => certificate.verify(publicKey))) {
    throw invalidArgument("The certificate to be renewed was not issued by the lab's authority");
  }
  const [identity, ...more] = readIdentities(certificate.subjectAltName);
  if (identity?.kind !== 'user' || more.length > 0)
    throw invalidArgument('Only certificates of users are renewed upon a request that was left');
  if (!verify('sha256', signedText(request), certificate.publicKey, signature)) {
    throw invalidArgument('The request to renew a certificate was not signed with the key of that certificate');
  }
  return certificate;
}

/** Said to be that, so that nothing else that the key has signed can be taken for it. */
function signedText(request: string): Buffer {
  return Buffer.from(`Lanflow renewal\n${request}`);
}
