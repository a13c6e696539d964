import { X509Certificate } from 'node:crypto';
import { keysOf, serialOf } from '#proto/trust/authority-certificate.ts';
import { revokedSerials } from '#proto/trust/crl.ts';
import { readable } from '#proto/trust/readable.ts';
import { checkRenewal, type Renewal } from '#proto/trust/renewal.ts';
import type { Published } from '#proto/trust/succession.ts';
import { certificatesIn } from '#proto/trust/tls-files.ts';
import { invalidArgument, notFound, permissionDenied } from '#proto/wire/status.ts';

interface Entry {
  readonly renewal: Renewal;
  /** Of the user, as the present certificate has them. */
  readonly names: string | undefined;
  /** DER. */
  readonly publicKey: Buffer;
  /** Empty until the owner has come by. */
  answer: string;
}

/** Users whose certificates end in one month are fewer. */
const MAX_ENTRIES = 100;

/**
 * Where users of the lab leave requests to have their certificates renewed, and find the answers of its owner. Only in memory: they
 * leave them again.
 */
export class Renewals {
  readonly #published: () => Promise<Published>;
  readonly #most: number;
  /** By serial number of the present certificate, oldest first. */
  readonly #entries = new Map<string, Entry>();

  /** `most`: entries that are kept. */
  constructor(published: () => Promise<Published>, most = MAX_ENTRIES) {
    this.#published = published;
    this.#most = most;
  }

  /** Those that nobody has answered. */
  get open(): readonly Renewal[] {
    return [...this.#entries.values()].filter(({ answer }) => answer === '').map(({ renewal }) => renewal);
  }

  /** The new certificate; empty as long as there is none. INVALID_ARGUMENT for what its user has not signed. */
  async leave({ certificate, request, signature }: Renewal): Promise<string> {
    const { authority, revocations } = await this.#published();
    const renewal = { certificate, request, signature };
    const present = checkRenewal(renewal, authority);
    const serial = serialOf(present);
    if (revokedSerials(revocations, keysOf(certificatesIn(authority))).has(serial)) {
      throw permissionDenied('The certificate to be renewed has been revoked');
    }
    const known = this.#entries.get(serial);
    if (known?.renewal.request === request) return known.answer;
    const { publicKeyOfRequest } = await import('#proto/trust/certificate-request.ts');
    const publicKey = Buffer.from((await publicKeyOfRequest(request)).rawData);
    const [oldest] = this.#entries.keys();
    if (!known && oldest !== undefined && this.#entries.size >= this.#most) this.#entries.delete(oldest);
    this.#entries.set(serial, { renewal, names: present.subjectAltName, publicKey, answer: '' });
    return '';
  }

  /** NOT_FOUND when nobody has left a request for its key; INVALID_ARGUMENT when the lab has not issued it. */
  async answer(pem: string): Promise<void> {
    const { authority } = await this.#published();
    const certificate = readable('new certificate of a user', () => new X509Certificate(pem));
    if (!certificatesIn(authority).some(({ publicKey }) => certificate.verify(publicKey))) {
      throw invalidArgument("The new certificate of a user was not issued by the lab's authority");
    }
    const publicKey = certificate.publicKey.export({ type: 'spki', format: 'der' });
    const isFor = (each: Entry): boolean => each.publicKey.equals(publicKey) && each.names === certificate.subjectAltName;
    const entry = [...this.#entries.values()].find(isFor);
    if (!entry) throw notFound('Nobody has left a request here to have this certificate issued');
    entry.answer = pem;
  }
}
