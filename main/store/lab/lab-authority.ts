import { existsSync } from 'node:fs';
import type { LabInfo } from '#proto/ipc/contract.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { type Identity, identityUri, type MachineProof } from '#proto/trust/identity.ts';
import type { Renewal } from '#proto/trust/renewal.ts';
import type { Published } from '#proto/trust/succession.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { alreadyExists, invalidArgument } from '#proto/wire/status.ts';
import { type IssuedCertificate, Lab } from './lab.ts';
import type { IssuedRecord } from './lab-file.ts';
import { MARGIN_MS } from './lab-record.ts';
import { type LabEnv, labFile } from './lab-storage.ts';

type Trust = IssuedCertificate & { readonly lab: string };

/** See `LabState` of the machines. */
interface State extends Pick<LabInfo, 'problem'> {
  readonly id: string | undefined;
  readonly expelled: ReadonlySet<string>;
  readonly revocations: string;
}

export interface LabAuthorityEnv extends LabEnv {
  /** Id of this machine. */
  readonly machineId: () => Promise<string>;
  /** The lab is there, at once or from its first use on. */
  readonly onOpen?: (files: TlsFiles) => void;
}

/** The user's lab, opened when it is first needed, and made only then: how machines become and stay members of it. */
export class LabAuthority {
  readonly #env: LabAuthorityEnv;
  #opened: Promise<Lab> | undefined;
  #credentials: Credentials | undefined;

  constructor(env: LabAuthorityEnv) {
    this.#env = env;
  }

  async state(): Promise<State> {
    if (!existsSync(labFile(this.#env.folder))) return { id: undefined, expelled: new Set(), revocations: '', problem: '' };
    const lab = await this.#open();
    const { id, problem } = await lab.facts();
    const { revocations } = await lab.published();
    return { id, expelled: expelledMachines(await lab.issued()), revocations, problem };
  }

  async info(): Promise<LabInfo> {
    return (await this.#open()).facts();
  }

  /** For connections to machines of the lab; reads files that have changed. PERMISSION_DENIED when they would refuse this user. */
  async credentials(): Promise<Credentials> {
    const lab = await this.#open();
    await lab.checkStanding();
    this.#credentials ??= new Credentials(lab.files, this.#env.warn);
    this.#credentials.refresh();
    return this.#credentials;
  }

  /**
   * A certificate for a machine. One that has proved itself by PIN or SSH may have been set up anew, and its earlier certificates count
   * no longer: of two machines that claim one id only the last can be a member. INVALID_ARGUMENT when that is no id; ALREADY_EXISTS when
   * it is that of this machine, which needs neither PIN nor SSH.
   */
  async admit(machine: string, request: string, proof: MachineProof): Promise<Trust> {
    if (!MACHINE_ID.test(machine)) throw invalidArgument(`'${machine.slice(0, 100)}' is no id of a machine: it must be 16 hex digits`);
    const isAnew = proof === 'pin' || proof === 'ssh';
    if (isAnew && machine === (await this.#env.machineId())) {
      const way =
        'lanflow install --here installs on it; when another one has it from a copied disk, delete machine.json and agent/trust in its data folder there, and try again';
      throw alreadyExists(`${machine} is the id of this machine itself: ${way}`);
    }
    const lab = await this.#open();
    const identity: Identity = { kind: 'machine', name: machine };
    const issued = await lab.sign(request, [identity], isAnew ? isFor(machine) : undefined);
    return { lab: (await lab.facts()).id, ...issued };
  }

  /** A certificate for somebody who uses the lab from another machine. */
  async admitUser(name: string, request: string): Promise<Trust> {
    if (!USER_NAME.test(name)) throw invalidArgument(`'${name.slice(0, 100)}' cannot be the name of a user of the lab`);
    const lab = await this.#open();
    const issued = await lab.sign(request, [{ kind: 'user', name }]);
    return { lab: (await lab.facts()).id, ...issued };
  }

  /** ALREADY_EXISTS when the user has a lab of his own here, which would be lost by joining another one. */
  async checkFree(): Promise<void> {
    const { id } = await this.state();
    if (id === undefined || !(await this.info()).isOwner) return;
    const path = labFile(this.#env.folder);
    throw alreadyExists(`You have lab ${id} already; move ${path} and what is beside it away to join another one`);
  }

  /** Becomes a user of somebody else's lab, as `admitUser` there has answered. ALREADY_EXISTS when there is another lab here. */
  async join({ lab: id, ...given }: Trust & { readonly key: string }): Promise<void> {
    const lab = await Lab.join(this.#env, { id, ...given });
    this.#opened = Promise.resolve(lab);
    this.#env.onOpen?.(lab.files);
  }

  /** What a machine tells of the lab; false when that is nothing new. Rejects as `Lab.learn` does. */
  async learn({ lab: id, ...news }: Published & { readonly lab: string }): Promise<boolean> {
    const lab = await this.#open();
    return id === (await lab.facts()).id && lab.learn(news);
  }

  async answerRenewal(renewal: Renewal): Promise<string> {
    return (await this.#open()).answerRenewal(renewal);
  }

  async renewal(): Promise<Renewal | undefined> {
    return (await this.#open()).renewal();
  }

  async renewed(certificate: string): Promise<void> {
    await (await this.#open()).renewed(certificate);
  }

  async news(machine: string): Promise<{ readonly trust: Trust; readonly isRenewal: boolean }> {
    const lab = await this.#open();
    const { id, isOwner } = await lab.facts();
    const ends = (await lab.current()).filter(isFor(machine)).map(({ expiresAt }) => new Date(expiresAt).getTime());
    const isRenewal = isOwner && Math.max(...ends) - this.#now().getTime() < MARGIN_MS;
    return { trust: { lab: id, certificate: '', ...(await lab.published()) }, isRenewal };
  }

  async expel(machine: string): Promise<void> {
    const lab = await this.#open();
    const valid = (await lab.issued()).filter(isFor(machine)).filter(({ revokedAt }) => revokedAt === undefined);
    for (const { serial } of valid) await lab.revoke(serial);
  }

  #now(): Date {
    return this.#env.now?.() ?? new Date();
  }

  async #openOnce(): Promise<Lab> {
    try {
      const lab = await Lab.open(this.#env);
      this.#env.onOpen?.(lab.files);
      return lab;
    } catch (error) {
      // What was in the way may be mended.
      this.#opened = undefined;
      throw error;
    }
  }

  #open(): Promise<Lab> {
    this.#opened ??= this.#openOnce();
    return this.#opened;
  }
}

/** What can be shown anywhere on one line. */
const USER_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
const MACHINE_ID = /^[0-9a-f]{16}$/;
const MACHINE_URI = /^lanflow:machine:/;

function isFor(machine: string): (each: IssuedRecord) => boolean {
  const uri = identityUri({ kind: 'machine', name: machine });
  return ({ names }) => names.includes(uri);
}

function expelledMachines(issued: readonly IssuedRecord[]): ReadonlySet<string> {
  const uris = (each: IssuedRecord): readonly string[] => each.names.filter((name) => MACHINE_URI.test(name));
  const members = new Set(issued.filter(({ revokedAt }) => revokedAt === undefined).flatMap(uris));
  const former = issued.flatMap(uris).filter((uri) => !members.has(uri));
  return new Set(former.map((uri) => decodeURIComponent(uri.replace(MACHINE_URI, ''))));
}
