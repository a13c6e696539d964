import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { list, object, text } from '#proto/ipc/shape.ts';
import { keepPrivate, timeProblem } from '#proto/trust/tls-files.ts';
import { failedPrecondition, toStatusError } from '#proto/wire/status.ts';

export interface AuthorityRecord {
  readonly certificate: string;
  /** Only who made the lab has it. */
  readonly key?: string;
  /** For the same key, signed by the authority before; the first one of a lab has none. */
  readonly handover?: string;
}

/** An authority that is believed no longer. */
export interface EndedAuthority {
  readonly serial: string;
  readonly endedAt: string;
}

export interface IssuedRecord {
  /** Lower-case hex. */
  readonly serial: string;
  /** `lanflow:…` URIs. */
  readonly names: readonly string[];
  /** SHA-256 of the certificate, as OpenSSL writes it. */
  readonly fingerprint: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly revokedAt?: string;
  /** Fingerprint of the authority that has issued it; older files do not have it. */
  readonly issuer?: string;
  /** The certificate that its user has got in its place when he asked for one, PEM. */
  readonly renewed?: string;
}

export interface UserRecord {
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
  /** Of a guest whose certificate must be renewed: the next key, and the request for its certificate. */
  readonly next?: { readonly key: string; readonly request: string };
}

export interface LabRecord {
  /** 16 hex digits. */
  readonly id: string;
  /** Newest first; the older ones are still believed. */
  readonly authorities: readonly AuthorityRecord[];
  /** This user's own. */
  readonly user: UserRecord;
  readonly issued: readonly IssuedRecord[];
  /** PEM; as the lab's owner has signed it. */
  readonly revocations: string;
  /** For ever on the revocation list, so that nobody goes on to believe in them. */
  readonly ended?: readonly EndedAuthority[];
}

const VERSION = 1;
const issued = object<IssuedRecord>(
  { serial: text({ pattern: /^[0-9a-f]+$/ }), names: list(text()), fingerprint: text(), issuedAt: text(), expiresAt: text() },
  { revokedAt: text(), issuer: text(), renewed: text() },
);
const shape = object<LabRecord>(
  {
    id: text({ pattern: /^[0-9a-f]{16}$/ }),
    authorities: list(object<AuthorityRecord>({ certificate: text() }, { key: text(), handover: text() })),
    user: object<UserRecord>({ name: text(), certificate: text(), key: text() }, { next: object({ key: text(), request: text() }) }),
    issued: list(issued, { max: 1_000_000 }),
    revocations: text({ max: 100_000_000 }),
  },
  { ended: list(object<EndedAuthority>({ serial: text(), endedAt: text() })) },
);

/**
 * The lab as its file has it; undefined when there is none. A file that cannot be used is an error and never replaced: whoever
 * loses it has to pair every machine again.
 */
export async function readLab(path: string, warn: (line: string) => void): Promise<LabRecord | undefined> {
  let json: string;
  try {
    json = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(`${path} cannot be read`, error);
  }
  keepPrivate(path, warn);
  try {
    return parse(json, path);
  } catch (error) {
    const way = `restore it from a backup, or move it away to begin a new lab, in which every machine must be paired again`;
    throw failedPrecondition(`The lab's keys in ${path} cannot be used (${toStatusError(error).message}): ${way}`, { cause: error });
  }
}

export async function writeLab(path: string, lab: LabRecord): Promise<void> {
  await makePrivateFolder(dirname(path));
  await writeFileAtomically(path, `${JSON.stringify({ version: VERSION, content: lab }, undefined, 2)}\n`);
}

/** FAILED_PRECONDITION that names the clock when it is before or behind the time of the lab's authority. */
export function checkTime({ authorities }: LabRecord, now: Date): void {
  const [newest] = authorities;
  const problem = newest && timeProblem(new X509Certificate(newest.certificate), now);
  if (problem) throw failedPrecondition(`The authority of the lab ${problem}`);
}

function parse(json: string, where: string): LabRecord {
  const file = JSON.parse(json) as { version?: unknown; content?: unknown } | null;
  if (file?.version !== VERSION) throw failedPrecondition(`it has version ${file?.version}, not ${VERSION}`);
  const lab = shape(file.content, where);
  if (lab.authorities.length === 0) throw failedPrecondition('the certificate of the authority is missing');
  for (const authority of lab.authorities) if (authority.key !== undefined) checkPair('authority', authority.certificate, authority.key);
  checkPair('user', lab.user.certificate, lab.user.key);
  return lab;
}

function checkPair(whose: string, certificate: string, key: string): void {
  if (key === '') throw failedPrecondition(`the key of the ${whose} is missing`);
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw failedPrecondition(`the key of the ${whose} does not belong to its certificate`);
  }
}

async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    throw fileError(`${folder} cannot be made`, error);
  }
}
