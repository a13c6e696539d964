import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint, judgeHostKey, keyType, knownHostsLine, knownKeyTypes } from '../../../../../main/install/ssh/known-hosts.ts';

/** Public keys as a server shows them: the type, then what does not matter here. */
function key(type: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from(content)]);
}

const one = key('ssh-ed25519', 'one');
const two = key('ssh-ed25519', 'two');
const rsa = key('ssh-rsa', 'three');
const file = (...lines: string[]) => [{ path: '/known', content: lines.join('\n') }];
const line = (names: string, of: Buffer): string => `${names} ${keyType(of)} ${of.toString('base64')}`;

describe('known_hosts', () => {
  it.each([
    ['the name', file(line('pc1', one)), 'pc1'],
    ['one of several names', file(line('pc1,10.0.0.1', one)), '10.0.0.1'],
    ['a port', file(line('[pc1]:2222', one)), '[pc1]:2222'],
    ['a pattern', file(line('*.lab,!pc9.lab', one)), 'pc1.lab'],
    ['another letter case', file(line('PC1', one)), 'pc1'],
    ['a comment behind', file(`${line('pc1', one)} teacher@desk`), 'pc1'],
    ['a second line', file('# mine', '', line('pc1', two), line('pc1', one)), 'pc1'],
    ['a hashed name', file(knownHostsLine('pc1', one, true)), 'pc1'],
  ])('knows a key by %s', (_, files, name) => {
    expect(judgeHostKey(files, name, one)).toEqual({ kind: 'known' });
  });

  it.each([
    ['other hosts', file(line('pc2', one))],
    ['another port', file(line('[pc1]:2222', one))],
    ['an excluding pattern', file(line('pc*,!pc1', one))],
    ['authorities', file(`@cert-authority ${line('*', one)}`)],
    ['a damaged line', file('pc1', 'pc1 ssh-ed25519', '|1|x pc1')],
    ['nothing', file('')],
  ])('does not know it by %s', (_, files) => {
    expect(judgeHostKey(files, 'pc1', one)).toEqual({ kind: 'unknown' });
  });

  it('names the line that has another key, of the same type where there is one', () => {
    const files = file('# mine', line('pc1', rsa), line('pc1', two));
    expect(judgeHostKey(files, 'pc1', one)).toEqual({ kind: 'changed', path: '/known', line: 3, fingerprint: fingerprint(two) });
    expect(judgeHostKey(file(line('pc1', rsa)), 'pc1', one)).toMatchObject({ kind: 'changed', line: 1 });
  });

  it('refuses a revoked key, though another line has it', () => {
    expect(judgeHostKey(file(line('pc1', one), `@revoked ${line('*', one)}`), 'pc1', one)).toMatchObject({ kind: 'revoked', line: 2 });
  });

  it('tells the types of the keys that a host has', () => {
    expect(knownKeyTypes(file(line('pc1', rsa), line('pc1', one), line('pc2', two)), 'pc1')).toEqual(['ssh-rsa', 'ssh-ed25519']);
  });

  it('writes lines and fingerprints that OpenSSH understands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lanflow-known-'));
    try {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
      const raw = Buffer.from(readFileSync(join(folder, 'key.pub'), 'utf8').split(' ')[1] ?? '', 'base64');
      const path = join(folder, 'known_hosts');
      writeFileSync(path, knownHostsLine('pc1', raw, true) + knownHostsLine('[pc2]:2222', raw, false));
      for (const name of ['pc1', '[pc2]:2222']) {
        const found = execFileSync('ssh-keygen', ['-l', '-F', name, '-f', path], { encoding: 'utf8' });
        expect(found).toContain(fingerprint(raw));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
