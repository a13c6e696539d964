import '#proto/trust/reflect-stand-in.ts';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509';
import { algorithm, newKeys, privateKeyPem } from '#proto/trust/certificate-request.ts';
import { type Identity, identityUri } from '#proto/trust/identity.ts';

export { newKeys, privateKeyPem };

/** PEM texts. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The clocks of a lab differ: what was issued now is valid on a machine that is up to this much behind. */
const BACKDATED_MS = DAY_MS;

export interface Validity {
  readonly now: Date;
  readonly days: number;
}

/** A certificate that signs others, for a new lab or for a lab whose authority is replaced. */
export async function makeAuthority(labId: string, validity: Validity): Promise<KeyAndCertificate> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: [{ O: ['Lanflow'] }, { CN: [`Lanflow lab ${labId}`] }],
      keys,
      signingAlgorithm: algorithm,
      ...dates(validity),
      extensions: await authorityExtensions(keys.publicKey),
    },
    provider(),
  );
  return { key: privateKeyPem(keys.privateKey), certificate: certificate.toString('pem') };
}

/** For the key of the next authority, signed by the present one: who believes in this one has a reason to believe in that. */
export async function makeHandover(from: KeyAndCertificate, next: string, validity: Validity): Promise<string> {
  const [issuer, subject] = [new X509Certificate(from.certificate), new X509Certificate(next)];
  const handover = await X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      issuer: issuer.subjectName,
      subject: subject.subjectName,
      publicKey: subject.publicKey,
      signingKey: await signingKey(from.key),
      signingAlgorithm: algorithm,
      ...dates(validity),
      extensions: [
        ...(await authorityExtensions(subject.publicKey)),
        await AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
      ],
    },
    provider(),
  );
  return handover.toString('pem');
}

/** Signs a certificate for these names. Users' are for clients only, so that no user can pass as a task. */
export async function issueCertificate(
  authority: KeyAndCertificate,
  identities: readonly Identity[],
  { publicKey, ...validity }: Validity & { readonly publicKey: PublicKey | webcrypto.CryptoKey },
): Promise<string> {
  const issuer = new X509Certificate(authority.certificate);
  const serves = identities.some(({ kind }) => kind !== 'user');
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      issuer: issuer.subjectName,
      subject: [{ O: ['Lanflow'] }, { CN: [commonName(identities)] }],
      publicKey,
      signingKey: await signingKey(authority.key),
      signingAlgorithm: algorithm,
      ...dates(validity),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth, ...(serves ? [ExtendedKeyUsage.serverAuth] : [])]),
        new SubjectAlternativeNameExtension(identities.map((identity) => ({ type: 'url', value: identityUri(identity) }))),
        await AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
      ],
    },
    provider(),
  );
  return certificate.toString('pem');
}

/** A revocation list of one authority. */
export async function makeRevocationList(
  authority: KeyAndCertificate,
  serials: readonly { serial: string; at: Date }[],
  now: Date,
): Promise<string> {
  const list = await X509CrlGenerator.create(
    {
      issuer: new X509Certificate(authority.certificate).subjectName,
      thisUpdate: new Date(now.getTime() - BACKDATED_MS),
      signingAlgorithm: algorithm,
      signingKey: await signingKey(authority.key),
      entries: serials.map(({ serial, at }) => ({ serialNumber: serial, revocationDate: at })),
    },
    provider(),
  );
  // The library's own PEM has a label that no other program knows.
  const lines = list.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN X509 CRL-----', ...lines, '-----END X509 CRL-----', ''].join('\n');
}

async function authorityExtensions(publicKey: PublicKey | webcrypto.CryptoKey): Promise<Extension[]> {
  return [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
  ];
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

function dates({ now, days }: Validity): { notBefore: Date; notAfter: Date } {
  // Certificates know seconds.
  const start = Math.floor(now.getTime() / 1000) * 1000;
  return { notBefore: new Date(start - BACKDATED_MS), notAfter: new Date(start + days * DAY_MS) };
}

/** 127 random bits: positive, and never given twice. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

/** 64 characters is what the standard allows; the names that count are the alternative ones. */
function commonName(identities: readonly Identity[]): string {
  return (identities[0]?.name ?? 'nobody').slice(0, 64);
}

function provider(): webcrypto.Crypto {
  cryptoProvider.set(webcrypto);
  return webcrypto;
}
