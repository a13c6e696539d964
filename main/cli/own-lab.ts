import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Credentials } from '#proto/trust/credentials.ts';
import { completeFiles, type TlsFiles, tlsFilesOf } from '#proto/trust/tls-files.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import { dataFolder } from '../store/data-folder.ts';
import { Lab } from '../store/lab/lab.ts';

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
  return Lab.open({ folder: ownFolder(), userName: userInfo().username, warn: log });
}

/** A lab that is not there is not made here: no machine would know it. */
async function labFiles(log: (line: string) => void): Promise<TlsFiles> {
  if (!existsSync(join(ownFolder(), 'lab', 'lab.json'))) {
    throw failedPrecondition('This user belongs to no lab yet: give a certificate of the lab with --tls-cert, --tls-key and --tls-ca');
  }
  return (await openOwnLab(log)).files;
}

function ownFolder(): string {
  return dataFolder({ env: process.env, platform: process.platform, home: homedir() });
}
