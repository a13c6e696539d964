import { statSync } from 'node:fs';
import { createSecureContext, type PeerCertificate, type SecureContext, type SecureContextOptions } from 'node:tls';
import { toStatusError } from '#proto/wire/status.ts';
import { normalSerial } from './crl.ts';
import { type Identity, identitiesText, readIdentities } from './identity.ts';
import { readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';

/** gRPC's name in a TLS handshake; a server that hears another one hangs up. */
export const ALPN = ['h2'];

export interface PeerExpectation {
  /** The peer was dialled: it must be a task or a machine. */
  readonly isServer?: boolean;
  /** `/job:ps/replica:0/task:0`: a certificate that is for tasks must be for this one. */
  readonly task?: string | undefined;
  /** Id of a machine: the certificate must be for this one. */
  readonly machine?: string | undefined;
}

/** What one process shows to the others of its lab, and how it judges what they show. */
export class Credentials {
  readonly #files: TlsFiles;
  readonly #warn: (line: string) => void;
  #material: TlsMaterial;
  #context: SecureContext;
  #stamp: string;
  #lastProblem = '';

  /** Throws a StatusError that names the file, and what is wrong with it. */
  constructor(files: TlsFiles, warn: (line: string) => void) {
    this.#files = files;
    this.#warn = warn;
    this.#stamp = stampOf(files);
    this.#material = readTlsFiles(files, { now: new Date(), warn });
    this.#context = createSecureContext(this.contextOptions);
  }

  get own(): readonly Identity[] {
    return readIdentities(this.#material.certificate.subjectAltName);
  }

  get contextOptions(): SecureContextOptions {
    const { ca, cert, key } = this.#material;
    return { ca, cert, key, minVersion: 'TLSv1.3' };
  }

  get context(): SecureContext {
    return this.#context;
  }

  /** Reads the files anew when they have changed; true when that made a difference. What cannot be used is left alone, with a word. */
  refresh(): boolean {
    const stamp = stampOf(this.#files);
    if (stamp === this.#stamp) return false;
    try {
      this.#material = readTlsFiles(this.#files, { now: new Date(), warn: this.#warn });
    } catch (error) {
      // Two files that are replaced one after the other do not match for a moment.
      const problem = toStatusError(error).message;
      if (problem !== this.#lastProblem) this.#warn(`${problem}; what was there before stays in use`);
      this.#lastProblem = problem;
      return false;
    }
    this.#stamp = stamp;
    this.#context = createSecureContext(this.contextOptions);
    return true;
  }

  /** Why a peer, whose certificate is one of the lab, is not welcome all the same; undefined when it is. */
  refusal(
    peer: Pick<PeerCertificate, 'serialNumber' | 'subjectaltname'>,
    { isServer = false, task, machine }: PeerExpectation = {},
  ): string | undefined {
    const identities = readIdentities(peer.subjectaltname);
    const who = identitiesText(identities);
    if (identities.length === 0) return 'its certificate is for nobody that Lanflow knows';
    if (this.#material.revoked.has(normalSerial(peer.serialNumber))) return `its certificate (${who}) has been revoked`;
    if (!isServer) return undefined;
    if (this.#material.revoked.has(normalSerial(this.#material.certificate.serialNumber)))
      return `your own certificate (${identitiesText(this.own)}) has been revoked; the owner of the lab can give you another one`;
    const tasks = identities.filter(({ kind }) => kind === 'task');
    if (tasks.length === 0 && !identities.some(({ kind }) => kind === 'machine'))
      return `its certificate (${who}) is for no task and no machine`;
    if (task !== undefined && tasks.length > 0 && !tasks.some(({ name }) => name === task))
      return `its certificate is for ${who}, not for ${task}`;
    if (machine !== undefined && !identities.some(({ kind, name }) => kind === 'machine' && name === machine))
      return `its certificate is for ${who}, not for machine ${machine}`;
    return undefined;
  }
}

function stampOf({ cert, key, ca, crl }: TlsFiles): string {
  return [cert, key, ca, crl]
    .map((path) => {
      const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : '';
    })
    .join('|');
}
