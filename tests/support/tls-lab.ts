import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '#proto/trust/identity.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { Lab } from '../../main/store/lab/lab.ts';

export interface TlsLab {
  /** The data folder that it is in. */
  readonly folder: string;
  readonly lab: Lab;
  /** Of the lab's user. */
  readonly user: TlsFiles;
  /** Certificate and key as files, issued when the clock showed `at`. */
  issue(identities: readonly Identity[], at?: Date): Promise<TlsFiles & { readonly crl: string }>;
  dispose(): Promise<void>;
}

export const taskIdentity = (job: string, index: number): Identity => ({ kind: 'task', name: `/job:${job}/replica:0/task:${index}` });

/** A lab of its own in a temporary folder, as if made at this time. */
export async function makeTlsLab(madeAt?: Date): Promise<TlsLab> {
  const folder = await mkdtemp(join(tmpdir(), 'lanflow-tls-lab-'));
  let now = madeAt;
  const lab = await Lab.open({ folder, userName: 'teacher', warn: () => undefined, now: () => now ?? new Date() });
  now = undefined;
  const { ca, crl = '' } = lab.files;
  let count = 0;
  return {
    folder,
    lab,
    user: lab.files,
    async issue(identities, at) {
      now = at;
      const issued = await lab.issue(identities).finally(() => {
        now = undefined;
      });
      const path = join(folder, String(count++));
      const files = { cert: `${path}.pem`, key: `${path}-key.pem`, ca, crl };
      await writeFile(files.cert, issued.certificate);
      await writeFile(files.key, issued.key);
      await chmod(files.key, 0o600);
      return files;
    },
    dispose: () => rm(folder, { recursive: true }),
  };
}

export function tlsFlags({ cert, key, ca, crl }: TlsFiles): string[] {
  return ['--tls-cert', cert, '--tls-key', key, '--tls-ca', ca, ...(crl === undefined ? [] : ['--tls-crl', crl])];
}
