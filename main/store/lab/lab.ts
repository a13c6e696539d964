import { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import type { LabInfo } from '#proto/ipc/contract.ts';
import { normalSerial } from '#proto/trust/crl.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { type Renewal, signRenewal } from '#proto/trust/renewal.ts';
import type { Published } from '#proto/trust/succession.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { alreadyExists, notFound, permissionDenied } from '#proto/wire/status.ts';
import type { IssuedRecord, LabRecord } from './lab-file.ts';
import { type IssueOptions, isOfNewest, isOwned, issueWith, withUser } from './lab-record.ts';
import { type LabEnv, LabStorage, userFiles } from './lab-storage.ts';
import { renewalsOf, withNextKey, withRenewal, withRenewed } from './renewal.ts';
import { withRevoked } from './revocations.ts';
import { standingProblem } from './standing.ts';
import { afterNews, authoritiesOf, publishedOf, withNewestAuthority, withNextAuthority } from './succession.ts';

/** What somebody needs to take part in the lab; PEM texts. Nothing in it is secret. */
export interface IssuedCertificate extends Published {
  readonly certificate: string;
}

/**
 * The lab that this user's machines belong to: an authority of its own, made at first use, the user's certificate, and the record
 * of all that were issued. One file, shared by all Lanflow processes of the user: every change reads it anew under a lock. Methods
 * reject with FAILED_PRECONDITION when the file cannot be used or the clock is off, and with PERMISSION_DENIED when only the lab's owner
 * can do it.
 */
export class Lab {
  readonly #env: LabEnv;
  readonly #storage: LabStorage;

  private constructor(env: LabEnv) {
    this.#env = env;
    this.#storage = new LabStorage(env);
  }

  /** Makes the lab at first use, and renews the user's certificate when it is about to end. */
  static async open(env: LabEnv): Promise<Lab> {
    const lab = new Lab(env);
    await lab.#storage.change((record) => lab.#renewed(record));
    return lab;
  }

  /**
   * Becomes a user of somebody else's lab, or goes on to be one with a new certificate. ALREADY_EXISTS when there is another lab here, or
   * the user's own: machines would be left without their authority.
   */
  static async join(env: LabEnv, given: IssuedCertificate & { readonly id: string; readonly key: string }): Promise<Lab> {
    const lab = new Lab(env);
    const { id, key, certificate, revocations } = given;
    await lab.#storage.replace((found) => {
      if (found && (found.id !== id || isOwned(found)))
        throw alreadyExists(`There is a lab already in ${dirname(lab.#storage.path)}; move it away to join another one`);
      return { id, authorities: authoritiesOf(given), user: { name: env.userName, certificate, key }, issued: [], revocations };
    });
    return lab;
  }

  /** The user's own certificate, for connections of the app and the command line. */
  get files(): TlsFiles {
    return userFiles(this.#env.folder);
  }

  async facts(): Promise<LabInfo> {
    const record = await this.#storage.read();
    const { id, user, authorities } = record;
    const [newest] = authorities;
    const fingerprint = newest ? new X509Certificate(newest.certificate).fingerprint256 : '';
    const problem = standingProblem(record, this.#now())?.text ?? '';
    return { id, fingerprint, user: user.name, isOwner: isOwned({ authorities }), problem };
  }

  /** PERMISSION_DENIED when the machines of the lab refuse this user. */
  async checkStanding(): Promise<void> {
    const problem = standingProblem(await this.#storage.read(), this.#now());
    if (problem?.isRefused) throw permissionDenied(problem.text);
  }

  /** What every member should have. */
  async published(): Promise<Published> {
    return publishedOf(await this.#storage.read());
  }

  /** Takes what somebody tells of the lab as far as its authority has signed it. True when that was news; rejects as `succeed` does. */
  async learn(news: Published): Promise<boolean> {
    const before = await this.published();
    const after = publishedOf(await this.#storage.change(async (record) => afterNews(record, news)));
    return JSON.stringify(after) !== JSON.stringify(before);
  }

  async issued(): Promise<readonly IssuedRecord[]> {
    return (await this.#storage.read()).issued;
  }

  /**
   * A certificate for whoever has sent this request, see `makeRequest`, and has proved in some other way to be who it is for.
   * `replaced`: certificates that count no longer from then on.
   */
  async sign(request: string, identities: readonly Identity[], replaced?: (each: IssuedRecord) => boolean): Promise<IssuedCertificate> {
    const { publicKeyOfRequest } = await import('#proto/trust/certificate-request.ts');
    return this.#issue(identities, { publicKey: await publicKeyOfRequest(request), replaced });
  }

  /** A certificate and its key, for machines that the user is logged in to, and tasks there. */
  async issue(identities: readonly Identity[]): Promise<IssuedCertificate & { readonly key: string }> {
    const { newKeys, privateKeyPem } = await import('./certificates.ts');
    const keys = await newKeys();
    return { ...(await this.#issue(identities, { publicKey: keys.publicKey })), key: privateKeyPem(keys.privateKey) };
  }

  /**
   * From now on this certificate, by serial number or fingerprint, and those that it was renewed by count no longer wherever the lab's
   * revocation list gets.
   */
  async revoke(which: string): Promise<IssuedRecord> {
    const serial = normalSerial(which.replaceAll(':', ''));
    const isIt = (each: IssuedRecord): boolean => each.serial === serial || each.fingerprint.toLowerCase() === which.toLowerCase();
    const after = await this.#storage.change(async (record) => {
      const found = record.issued.find(isIt);
      if (!found) throw notFound(`The lab has issued no certificate with the serial number or fingerprint ${which}`);
      const all = renewalsOf(record, found.serial);
      return withRevoked(record, (each) => all.has(each.serial), this.#now());
    });
    return after.issued.find(isIt) as IssuedRecord; // It was there a moment ago.
  }

  /** The owner answers a guest's request to renew his certificate. Rejects as `withRenewal` does. */
  async answerRenewal(renewal: Renewal): Promise<string> {
    let certificate = '';
    await this.#storage.change(async (record) => {
      const made = await withRenewal(record, renewal, this.#now());
      certificate = made.certificate;
      return made.record;
    });
    return certificate;
  }

  /** A guest's request to have his certificate renewed; undefined as long as it is good, or when it is refused anyhow. */
  async renewal(): Promise<Renewal | undefined> {
    const record = await this.#storage.change((before) => withNextKey(before, this.#now()));
    const isRefused = standingProblem(record, this.#now())?.isRefused;
    return record.user.next && !isRefused ? signRenewal({ ...record.user, request: record.user.next.request }) : undefined;
  }

  /** What the owner has answered to that. Rejects as `withRenewed` does. */
  async renewed(certificate: string): Promise<void> {
    await this.#storage.change(async (record) => withRenewed(record, certificate));
  }

  /** The certificates that count, of the newest authority: of an earlier one they must be renewed before that is forgotten. */
  async current(): Promise<readonly IssuedRecord[]> {
    const record = await this.#storage.read();
    const isNew = isOfNewest(record);
    return record.issued.filter((each) => each.revokedAt === undefined && isNew(each));
  }

  /**
   * A new key for the authority. Certificates of the old one count until they end or are revoked, or it is forgotten; so the user shows
   * his own one to machines that have not heard of the new authority yet.
   */
  async replaceAuthority(): Promise<void> {
    await this.#storage.change((record) => withNextAuthority(record, this.#now()));
  }

  /**
   * Only the newest authority is believed from now on; the user gets a certificate of it. Those of the earlier ones count no longer;
   * returned are those of whom none is left. FAILED_PRECONDITION when there is no earlier one.
   */
  async forgetOldAuthorities(): Promise<readonly IssuedRecord[]> {
    let lost: readonly IssuedRecord[] = [];
    const after = await this.#storage.change(async (record) => {
      const newest = withNewestAuthority(record, this.#now());
      const isNew = isOfNewest(record);
      lost = record.issued.filter((each) => each.revokedAt === undefined && !isNew(each));
      const user = await withUser(newest, this.#now());
      return withRevoked(user, (each) => lost.some(({ serial }) => serial === each.serial), this.#now());
    });
    const kept = new Set(after.issued.filter(({ revokedAt }) => revokedAt === undefined).flatMap(({ names }) => names));
    return lost.filter(({ names }) => !names.every((name) => kept.has(name)));
  }

  async #issue(
    identities: readonly Identity[],
    { publicKey, replaced }: Pick<IssueOptions, 'publicKey'> & { readonly replaced?: ((each: IssuedRecord) => boolean) | undefined },
  ): Promise<IssuedCertificate> {
    let certificate = '';
    const after = await this.#storage.change(async (found) => {
      const now = this.#now();
      const record = replaced && found.issued.some(replaced) ? await withRevoked(found, replaced, now) : found;
      const made = await issueWith({ record, identities, publicKey, now });
      certificate = made.certificate;
      return made.record;
    });
    return { certificate, ...publishedOf(after) };
  }

  async #renewed(record: LabRecord): Promise<LabRecord> {
    const problem = standingProblem(record, this.#now());
    if (problem && isOwned(record)) return withUser(record, this.#now());
    if (problem) this.#env.warn(problem.text);
    return record;
  }

  #now(): Date {
    return this.#env.now?.() ?? new Date();
  }
}
