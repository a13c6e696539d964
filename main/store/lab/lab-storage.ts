import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { notFound } from '#proto/wire/status.ts';
import { checkTime, type LabRecord, readLab, writeLab } from './lab-file.ts';
import { DAYS, forgetOld, withUser } from './lab-record.ts';
import { withRevocations } from './revocations.ts';
import { publishedOf } from './succession.ts';

export interface LabEnv {
  /** Lanflow's data folder; the lab has a folder of its own there. */
  readonly folder: string;
  /** Of the person at this machine, for certificates. */
  readonly userName: string;
  readonly warn: (line: string) => void;
  readonly now?: () => Date;
}

/** The lab's file, which all Lanflow processes of the user share, and beside it the PEM files of what TLS needs, which follow it. */
export class LabStorage {
  readonly #env: LabEnv;

  constructor(env: LabEnv) {
    this.#env = env;
  }

  get path(): string {
    return labFile(this.#env.folder);
  }

  async read(): Promise<LabRecord> {
    const record = await readLab(this.path, this.#env.warn);
    if (!record) throw notFound(`The lab's keys are missing: there is no file ${this.path}`);
    checkTime(record, this.#now());
    return record;
  }

  /** Makes the lab first when there is none. */
  async change(change: (record: LabRecord) => Promise<LabRecord>): Promise<LabRecord> {
    return withFileLock(this.path, async () => {
      const found = await readLab(this.path, this.#env.warn);
      const before = found ?? (await this.#make());
      checkTime(before, this.#now());
      const after = forgetOld(await change(before), this.#now());
      if (after !== found) await writeLab(this.path, after);
      await this.#writePems(after);
      return after;
    });
  }

  /** What is there, if anything is, is lost; `make` may throw to keep it. */
  async replace(make: (found: LabRecord | undefined) => LabRecord): Promise<void> {
    await withFileLock(this.path, async () => {
      const record = make(await readLab(this.path, this.#env.warn));
      await writeLab(this.path, record);
      await this.#writePems(record);
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

  async #writePems(record: LabRecord): Promise<void> {
    const { cert, key, ca, crl = '' } = userFiles(this.#env.folder);
    const { authority, handovers, revocations } = publishedOf(record);
    await writeIfOther(ca, authority);
    await writeIfOther(crl, revocations);
    await writeIfOther(key, record.user.key);
    // With the handovers machines let him in that know an earlier authority only.
    await writeIfOther(cert, handovers === '' ? record.user.certificate : `${record.user.certificate.trim()}\n${handovers}`);
  }

  #now(): Date {
    return this.#env.now?.() ?? new Date();
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
