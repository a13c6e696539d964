import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolder } from '#proto/files/agent-address.ts';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import type { GivenTrust } from './check-trust.ts';

const names = {
  cert: 'cert.pem',
  key: 'key.pem',
  ca: 'ca.pem',
  handovers: 'handovers.pem',
  crl: 'crl.pem',
  pendingKey: 'pending-key.pem',
  request: 'request.pem',
} as const;
type Name = keyof typeof names;

/** What a machine has of its lab, as PEM files in `agent/trust` of the data folder, which only this user can look into. */
export class TrustFolder {
  readonly #path: string;

  constructor(dataFolder: string) {
    this.#path = join(agentFolder(dataFolder), 'trust');
  }

  get files(): Required<TlsFiles> {
    return { cert: this.#file('cert'), key: this.#file('key'), ca: this.#file('ca'), crl: this.#file('crl') };
  }

  /** For changes: no other process of this user makes one meanwhile. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    try {
      await mkdir(this.#path, { recursive: true, mode: 0o700 });
      await chmod(this.#path, 0o700);
    } catch (error) {
      throw fileError(`${this.#path} cannot be made`, error);
    }
    return withFileLock(join(this.#path, 'trust'), work);
  }

  /** Empty when it is not there. */
  async read(name: Name): Promise<string> {
    const path = this.#file(name);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw fileError(`${path} cannot be read`, error);
    }
  }

  /** Empty texts for what is not there. */
  async readTrust(): Promise<Omit<GivenTrust, 'lab'>> {
    const [certificate, authority] = [await this.read('cert'), await this.read('ca')];
    return { certificate, authority, handovers: await this.read('handovers'), revocations: await this.read('crl') };
  }

  /** A key without a certificate, and the request for one. */
  async writePending({ key, request }: { readonly key: string; readonly request: string }): Promise<void> {
    await this.#write('pendingKey', key);
    await this.#write('request', request);
  }

  /** After a crash between any two of these, `mend` finishes the change, or the earlier trust still holds. */
  async writeTrust({ certificate, authority, handovers, revocations }: GivenTrust, key: string): Promise<void> {
    await this.#write('ca', authority);
    await this.#write('handovers', handovers);
    await this.#write('crl', revocations);
    await this.#write('cert', certificate);
    await this.#write('key', key);
    if (key === (await this.read('pendingKey'))) await this.#removePending();
  }

  /** A certificate whose key was still waiting when its writer ended. */
  async mend(matches: (certificate: X509Certificate, key: string) => boolean): Promise<void> {
    const [cert, key, pending] = await Promise.all([this.read('cert'), this.read('key'), this.read('pendingKey')]);
    if (cert === '' || pending === '') return;
    const certificate = new X509Certificate(cert);
    if (key !== '' && matches(certificate, key)) return;
    if (!matches(certificate, pending)) return;
    await this.#write('key', pending);
    await this.#removePending();
  }

  async #removePending(): Promise<void> {
    await rm(this.#file('request'), { force: true });
    await rm(this.#file('pendingKey'), { force: true });
  }

  async #write(name: Name, content: string): Promise<void> {
    if (content !== (await this.read(name))) await writeFileAtomically(this.#file(name), content);
  }

  #file(name: Name): string {
    return join(this.#path, names[name]);
  }
}
