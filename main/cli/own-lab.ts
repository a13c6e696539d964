import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Credentials } from '#proto/trust/credentials.ts';
import { completeFiles, type TlsFiles, tlsFilesOf } from '#proto/trust/tls-files.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { Enroll } from '../install/remote/steps.ts';
import { ownDataFolder } from '../store/data-folder.ts';
import { openStore } from '../store/index.ts';
import { Lab } from '../store/lab/lab.ts';
import { LabAuthority } from '../store/lab/lab-authority.ts';
import { type LabEnv, labFile } from '../store/lab/lab-storage.ts';
import { showCertificate } from '../store/lab/lab-variables.ts';

export interface TlsFlags {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly tlsCrl?: string;
}

/** What this user shows to the machines of the lab: by flags, by LANFLOW_TLS_…, else the certificate of the lab in the data folder. */
export async function ownCredentials(flags: TlsFlags, log: (line: string) => void): Promise<Credentials> {
  const given = { cert: flags.tlsCert, key: flags.tlsKey, ca: flags.tlsCa, crl: flags.tlsCrl };
  const files = completeFiles(given, (field) => `--tls-${field}`) ?? tlsFilesOf(process.env);
  return new Credentials(files ?? (await labFiles(log)), log);
}

/** The lab of this user; made at first use. */
export function openOwnLab(log: (line: string) => void): Promise<Lab> {
  return Lab.open(labEnv(log));
}

/** How machines are taken into it. */
export function ownAuthority(log: (line: string) => void): LabAuthority {
  const { machineId } = openStore(ownDataFolder(), log);
  return new LabAuthority({ ...labEnv(log), machineId, onOpen: (files) => showCertificate(files, process.env) });
}

/** How this machine itself is taken into the user's lab; undefined where he owns none, which is no reason to make one. */
export async function ownEnroll(log: (line: string) => void): Promise<Enroll | undefined> {
  const authority = ownAuthority(log);
  if ((await authority.state()).id === undefined || !(await authority.info()).isOwner) return undefined;
  return ({ machine, request }) => authority.admit(machine, request, 'local');
}

function labEnv(warn: (line: string) => void): LabEnv {
  return { folder: ownDataFolder(), userName: userInfo().username, warn };
}

/** A lab that is not there is not made here: no machine would know it. */
async function labFiles(log: (line: string) => void): Promise<TlsFiles> {
  if (!existsSync(labFile(ownDataFolder()))) {
    throw failedPrecondition('This user belongs to no lab yet: give a certificate of the lab with --tls-cert, --tls-key and --tls-ca');
  }
  const lab = await openOwnLab(log);
  await lab.checkStanding();
  return lab.files;
}
