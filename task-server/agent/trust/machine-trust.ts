import { X509Certificate } from 'node:crypto';
import type { CertificateRequest, Trust } from '#proto/generated/lanflow/agent_pb.ts';
import { keysOf, labOf } from '#proto/trust/authority-certificate.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { identitiesText, readIdentities } from '#proto/trust/identity.ts';
import { joinRevocations } from '#proto/trust/revocations.ts';
import { type Published, succeed } from '#proto/trust/succession.ts';
import { certificatesIn, type TlsFiles } from '#proto/trust/tls-files.ts';
import { failedPrecondition, permissionDenied, toStatusError } from '#proto/wire/status.ts';
import { belongsTo, checkTrust, type GivenTrust } from './check-trust.ts';
import { Renewals } from './renewals.ts';
import { TrustFolder } from './trust-folder.ts';

export interface MachineTrustEnv {
  readonly dataFolder: string;
  /** Id of this machine. */
  readonly machine: string;
  readonly warn: (line: string) => void;
  readonly now?: () => Date;
}

/** The lab that this machine belongs to, and what it has of it. Changes take effect at once, and outlive the process. */
export class MachineTrust {
  readonly #env: MachineTrustEnv;
  readonly #folder: TrustFolder;
  readonly #listeners = new Set<() => void>();
  /** How users of the lab get their certificates renewed by way of this machine. */
  readonly renewals = new Renewals(() => this.published());
  #lab = '';
  #fingerprint = '';
  #credentials: Credentials | undefined;

  private constructor(env: MachineTrustEnv) {
    this.#env = env;
    this.#folder = new TrustFolder(env.dataFolder);
  }

  /** What cannot be used is said, and does not keep the agent from starting: a new certificate mends it. */
  static async open(env: MachineTrustEnv): Promise<MachineTrust> {
    const trust = new MachineTrust(env);
    await trust.#take(() => trust.#folder.locked(() => trust.#folder.mend(belongsTo)));
    return trust;
  }

  /** Its id; empty as long as there is none. */
  get lab(): string {
    return this.#lab;
  }

  /** SHA-256 of the machine's certificate, in lower-case hex; empty as long as there is none. */
  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** What this machine shows to its lab; undefined as long as there is nothing that could be used. */
  get credentials(): Credentials | undefined {
    return this.#credentials;
  }

  /** What its tasks show; undefined when the machine belongs to no lab. */
  get files(): TlsFiles | undefined {
    return this.#lab === '' ? undefined : this.#folder.files;
  }

  /** Hears of every change until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The same one until a certificate has come of it: several may ask at a time, and whichever certificate comes first fits. */
  async requestCertificate(): Promise<Pick<CertificateRequest, 'machine' | 'request'>> {
    const { machine } = this.#env;
    return this.#folder.locked(async () => {
      const [key, request] = await Promise.all([this.#folder.read('pendingKey'), this.#folder.read('request')]);
      if (key !== '' && request !== '') return { machine, request };
      const { makeRequest } = await import('#proto/trust/certificate-request.ts');
      const made = await makeRequest(machine);
      await this.#folder.writePending(made);
      return { machine, request: made.request };
    });
  }

  /** What others may know of the lab too: all that this machine has of it but its own certificate. */
  async published(): Promise<Published & { readonly lab: string }> {
    return { lab: this.#lab, ...publishedOf(await this.#folder.readTrust()) };
  }

  /**
   * Empty texts leave in place what is there. Rejects as `checkTrust` does. The machine's owner may replace everything; its lab
   * what its authority vouches for, else PERMISSION_DENIED.
   */
  async accept(trust: Pick<Trust, keyof GivenTrust>, by: 'owner' | 'lab'): Promise<void> {
    await this.#folder.locked(async () => {
      const present = await this.#folder.readTrust();
      const whole = complete(trust, present);
      const given = by === 'owner' ? whole : this.#vouchedFor(whole, present);
      const keys = [await this.#folder.read('pendingKey'), await this.#folder.read('key')].filter((each) => each !== '');
      const key = checkTrust(given, { machine: this.#env.machine, keys, now: this.#env.now?.() ?? new Date() });
      const revocations = joinRevocations(given.revocations, present.revocations, keysOf(certificatesIn(given.authority)));
      await this.#folder.writeTrust({ ...given, revocations }, key);
    });
    await this.#take();
    for (const listener of this.#listeners) listener();
  }

  #vouchedFor(given: GivenTrust, present: Published): GivenTrust {
    if (given.lab !== this.#lab) {
      throw permissionDenied(`This machine belongs to lab ${this.#lab}; only its own user can give it to another one`);
    }
    return { ...given, ...succeed(present, given) };
  }

  /** What the files say counts from now on; where there are some, after this was done. */
  async #take(prepare: () => Promise<void> = async () => undefined): Promise<void> {
    const [ca, cert] = await Promise.all([this.#folder.read('ca'), this.#folder.read('cert')]);
    if (ca === '' || cert === '') return;
    try {
      await prepare();
      const identities = readIdentities(new X509Certificate(cert).subjectAltName);
      if (!identities.some(({ kind, name }) => kind === 'machine' && name === this.#env.machine)) {
        const whose = `The certificate in ${this.#folder.files.cert} is for ${identitiesText(identities)}, and this is machine ${this.#env.machine}`;
        throw failedPrecondition(`${whose}: pair this machine anew`);
      }
      const [newest] = certificatesIn(ca);
      this.#lab = (newest && labOf(newest)) ?? '';
      this.#fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
      if (this.#credentials) this.#credentials.refresh();
      else this.#credentials = new Credentials(this.#folder.files, this.#env.warn);
    } catch (error) {
      this.#env.warn(`${toStatusError(error).message}. Until then nobody of the lab can reach this machine.`);
    }
  }
}

function publishedOf({ authority, handovers, revocations }: Published): Published {
  return { authority, handovers, revocations };
}

function complete(given: GivenTrust, present: Omit<GivenTrust, 'lab'>): GivenTrust {
  const certificate = given.certificate || present.certificate;
  const { authority, handovers } = given.authority === '' ? present : given;
  const whole = { lab: given.lab, certificate, authority, handovers, revocations: given.revocations };
  if (whole.certificate !== '' && whole.authority !== '') return whole;
  throw failedPrecondition('This machine belongs to no lab yet: it needs a certificate, and that of the authority of its lab');
}
