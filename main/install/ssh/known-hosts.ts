import { createHash, createHmac, randomBytes } from 'node:crypto';
import { matchesPatterns } from '#proto/files/ssh-config.ts';

export interface KnownHostsFile {
  readonly path: string;
  readonly content: string;
}

/** A line of a file, counted from 1. */
interface KnownLine {
  readonly path: string;
  readonly line: number;
  readonly type: string;
  /** base64 */
  readonly key: string;
  readonly isRevoked: boolean;
}

/** A line that speaks against a key; `changed`: another key is known for the host. */
export interface Contradiction {
  readonly kind: 'changed' | 'revoked';
  readonly path: string;
  readonly line: number;
  /** Of the key in that line. */
  readonly fingerprint: string;
}

export type Verdict = { readonly kind: 'known' | 'unknown' } | Contradiction;

/** What known_hosts says of the key that a host shows; `name` is `host`, or `[host]:port` where the port is not 22. */
export function judgeHostKey(files: readonly KnownHostsFile[], name: string, key: Buffer): Verdict {
  const text = key.toString('base64');
  const lines = linesFor(files, name);
  const revoked = lines.find((each) => each.isRevoked && each.key === text);
  if (revoked) return about('revoked', revoked);
  const valid = lines.filter((each) => !each.isRevoked);
  if (valid.some((each) => each.key === text)) return { kind: 'known' };
  // The line to be changed is the one of the same type, where there is one.
  const other = valid.find(({ type }) => type === keyType(key)) ?? valid[0];
  return other ? about('changed', other) : { kind: 'unknown' };
}

/** Of the keys that are known for a host: a server that has several is asked for these. */
export function knownKeyTypes(files: readonly KnownHostsFile[], name: string): readonly string[] {
  return [...new Set(linesFor(files, name).flatMap(({ type, isRevoked }) => (isRevoked ? [] : [type])))];
}

/** `SHA256:…`, as `ssh-keygen -lf` prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** A public key begins with the length and the name of its type. */
export function keyType(key: Buffer): string {
  return key.length < 4 ? '' : key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}

/** A line for known_hosts. */
export function knownHostsLine(name: string, key: Buffer, isHashed: boolean): string {
  return `${isHashed ? hashed(name, randomBytes(20)) : name} ${keyType(key)} ${key.toString('base64')}\n`;
}

function about(kind: 'changed' | 'revoked', { path, line, key }: KnownLine): Contradiction {
  return { kind, path, line, fingerprint: fingerprint(Buffer.from(key, 'base64')) };
}

function linesFor(files: readonly KnownHostsFile[], name: string): readonly KnownLine[] {
  return files.flatMap(({ path, content }) =>
    content.split(/\r?\n/).flatMap((text, index) => {
      const words = text.trim().split(/\s+/);
      const mark = words[0]?.startsWith('@') ? words.shift() : undefined;
      const [names = '', type = '', key = ''] = words;
      // Certificates of hosts are not asked for, so what their authorities have signed does not matter.
      if (names === '' || names.startsWith('#') || key === '' || mark === '@cert-authority') return [];
      return isFor(names, name) ? [{ path, line: index + 1, type, key, isRevoked: mark === '@revoked' }] : [];
    }),
  );
}

function isFor(names: string, name: string): boolean {
  if (!names.startsWith('|')) return matchesPatterns(names.split(','), name);
  const [, version, salt = ''] = names.split('|');
  return version === '1' && hashed(name, Buffer.from(salt, 'base64')) === names;
}

function hashed(name: string, salt: Buffer): string {
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}
