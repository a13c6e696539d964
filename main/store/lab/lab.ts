import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import type { LabInfo } from '#proto/ipc/contract.ts';
import { normalSerial } from '#proto/trust/crl.ts';
import type { Identity } from '#proto/trust/identity.ts';
import type { Published } from '#proto/trust/succession.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { alreadyExists, notFound, permissionDenied } from '#proto/wire/status.ts';
import { checkTime, type IssuedRecord, type LabRecord, readLab, writeLab } from './lab-file.ts';
import { DAYS, forgetOld, type IssueOptions, isOfNewest, isOwned, issueWith, withUser } from './lab-record.ts';
import { withRevocations, withRevoked } from './revocations.ts';
import { standingProblem } from './standing.ts';
import { afterNews, authoritiesOf, publishedOf, withNewestAuthority, withNextAuthority } from './succession.ts';

export interface LabEnv {
  /** Lanflow's data folder; the lab has a folder of its own there. */
  readonly folder: string;
  /** Of the person at this machine, for certificates. */
  readonly userName: string;
  readonly warn: (line: string) => void;
  readonly now?: () => Date;
}

/** What somebody needs to take part in the lab; PEM texts. Nothing in it is secret. */
export interface IssuedCertificate extends Published {
  readonly certificate: string;
}

/**
 * The lab that this user's machines belong to: an authority of its own, made at first use, the user's certificate, and the record
 * of all that were issued. One file, shared by all Lanflow processes of the user: every change reads it anew under a lock. Beside it
 * lie PEM files of what TLS needs. Methods reject with FAILED_PRECONDITION when the file cannot be used or the clock is off, and with
 * PERMISSION_DENIED when only the lab's owner can do it.
 */
export class Lab {
  readonly #env: LabEnv;

  private constructor(env: LabEnv) {
    this.#env = env;
  }

  /** Makes the lab at first use, and renews the user's certificate when it is about to end. */
  static async open(env: LabEnv): Promise<Lab> {
    const lab = new Lab(env);
    await lab.#change((record) => lab.#renewed(record));
    return lab;
  }

  /**
   * Becomes a user of somebody else's lab, or goes on to be one with a new certificate. ALREADY_EXISTS when there is another lab here, or
   * the user's own: machines would be left without their authority.
   */
  static async join(env: LabEnv, given: IssuedCertificate & { readonly id: string; readonly key: string }): Promise<Lab> {
    const lab = new Lab(env);
    await withFileLock(lab.#path, async () => {
      const { id, key, certificate, revocations } = given;
      const found = await readLab(lab.#path, env.warn);
      if (found && (found.id !== id || isOwned(found)))
        throw alreadyExists(`There is a lab already in ${dirname(lab.#path)}; move it away to join another one`);
      const record = { id, authorities: authoritiesOf(given), user: { name: env.userName, certificate, key }, issued: [], revocations };
      await writeLab(lab.#path, record);
      await lab.#writePems(record);
    });
    return lab;
  }

  /** The user's own certificate, for connections of the app and the command line. */
  get files(): TlsFiles {
    return userFiles(this.#env.folder);
  }

  async facts(): Promise<LabInfo> {
    const record = await this.#read();
    const { id, user, authorities } = record;
    const [newest] = authorities;
    const fingerprint = newest ? new X509Certificate(newest.certificate).fingerprint256 : '';
    const problem = standingProblem(record, this.#now())?.text ?? '';
    return { id, fingerprint, user: user.name, isOwner: isOwned({ authorities }), problem };
  }

  /** PERMISSION_DENIED when the machines of the lab refuse this user. */
  async checkStanding(): Promise<void> {
    const problem = standingProblem(await this.#read(), this.#now());
    if (problem?.isRefused) throw permissionDenied(problem.text);
  }

  /** What every member should have. */
  async published(): Promise<Published> {
    return publishedOf(await this.#read());
  }

  /** Takes what somebody tells of the lab as far as its authority has signed it. True when that was news; rejects as `succeed` does. */
  async learn(news: Published): Promise<boolean> {
    const before = await this.published();
    const after = publishedOf(await this.#change(async (record) => afterNews(record, news)));
    return JSON.stringify(after) !== JSON.stringify(before);
  }

  async issued(): Promise<readonly IssuedRecord[]> {
    return (await this.#read()).issued;
  }

  /**
   * A certificate for whoever has sent this request, see `makeRequest`, and has proved in some other way to be who it is for.
   * `replaced`: certificates that count no longer from then on.
   */
  async sign(request: string, identities: readonly Identity[], replaced?: (each: IssuedRecord) => boolean): Promise<IssuedCertificate> {
    const { publicKeyOfRequest } = await import('./certificates.ts');
    return this.#issue(identities, { publicKey: await publicKeyOfRequest(request), replaced });
  }

  /** A certificate and its key, for machines that the user is logged in to, and tasks there. */
  async issue(identities: readonly Identity[]): Promise<IssuedCertificate & { readonly key: string }> {
    const { newKeys, privateKeyPem } = await import('./certificates.ts');
    const keys = await newKeys();
    return { ...(await this.#issue(identities, { publicKey: keys.publicKey })), key: privateKeyPem(keys.privateKey) };
  }

  /** From now on this certificate, by serial number or fingerprint, counts no longer wherever the lab's revocation list gets. */
  async revoke(which: string): Promise<IssuedRecord> {
    const serial = normalSerial(which.replaceAll(':', ''));
    const isIt = (each: IssuedRecord): boolean => each.serial === serial || each.fingerprint.toLowerCase() === which.toLowerCase();
    const after = await this.#change(async (record) => {
      if (!record.issued.some(isIt)) throw notFound(`The lab has issued no certificate with the serial number or fingerprint ${which}`);
      return withRevoked(record, isIt, this.#now());
    });
    return after.issued.find(isIt) as IssuedRecord; // It was there a moment ago.
  }

  /** The certificates that count, of the newest authority: of an earlier one they must be renewed before that is forgotten. */
  async current(): Promise<readonly IssuedRecord[]> {
    const record = await this.#read();
    const isNew = isOfNewest(record);
    return record.issued.filter((each) => each.revokedAt === undefined && isNew(each));
  }

  /**
   * A new key for the authority. Certificates of the old one count until they end or are revoked, or it is forgotten; so the user shows
   * his own one to machines that have not heard of the new authority yet.
   */
  async replaceAuthority(): Promise<void> {
    await this.#change((record) => withNextAuthority(record, this.#now()));
  }

  /**
   * Only the newest authority is believed from now on; the user gets a certificate of it. Those of the earlier ones count no longer;
   * returned are those of whom none is left. FAILED_PRECONDITION when there is no earlier one.
   */
  async forgetOldAuthorities(): Promise<readonly IssuedRecord[]> {
    let lost: readonly IssuedRecord[] = [];
    const after = await this.#change(async (record) => {
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
    const after = await this.#change(async (found) => {
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

  async #change(change: (record: LabRecord) => Promise<LabRecord>): Promise<LabRecord> {
    return withFileLock(this.#path, async () => {
      const found = await readLab(this.#path, this.#env.warn);
      const before = found ?? (await this.#make());
      checkTime(before, this.#now());
      const after = forgetOld(await change(before), this.#now());
      if (after !== found) await writeLab(this.#path, after);
      await this.#writePems(after);
      return after;
    });
  }

  async #make(): Promise<LabRecord> {
    const { makeAuthority } = await import('./certificates.ts');
    const id = randomBytes(8).toString('hex');
    const authority = await makeAuthority(id, { now: this.#now(), days: DAYS.authority });
    const user = { name: this.#env.userName, certificate: '', key: '' };
    const empty: LabRecord = { id, authorities: [authority], user, issued: [], revocations: '' };
    return withRevocations(await withUser(empty, this.#now()), this.#now());
  }

  async #read(): Promise<LabRecord> {
    const record = await readLab(this.#path, this.#env.warn);
    if (!record) throw notFound(`The lab's keys are missing: there is no file ${this.#path}`);
    checkTime(record, this.#now());
    return record;
  }

  /** The PEM files follow the one that counts. */
  async #writePems(record: LabRecord): Promise<void> {
    const { cert, key, ca, crl = '' } = this.files;
    await writeIfOther(ca, publishedOf(record).authority);
    await writeIfOther(crl, record.revocations);
    await writeIfOther(key, record.user.key);
    await writeIfOther(cert, record.user.certificate);
  }

  #now(): Date {
    return this.#env.now?.() ?? new Date();
  }

  get #path(): string {
    return labFile(this.#env.folder);
  }
}

/** Where the lab is kept in a data folder. */
export function labFile(dataFolder: string): string {
  return join(dataFolder, 'lab', 'lab.json');
}

/** What the user shows to the machines of the lab, once there is one. */
export function userFiles(dataFolder: string): TlsFiles {
  const path = (name: string): string => join(dataFolder, 'lab', `${name}.pem`);
  return { cert: path('user'), key: path('user-key'), ca: path('ca'), crl: path('crl') };
}

async function writeIfOther(path: string, content: string): Promise<void> {
  const current = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (current !== content) await writeFileAtomically(path, content);
}
