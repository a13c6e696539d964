import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPrivateKey } from '../../../../../main/install/ssh/private-key.ts';

describe('a private key', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-keys-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['ed25519', []],
    ['ecdsa', ['-m', 'PEM']],
    ['ecdsa', ['-m', 'PKCS8']],
    ['rsa', []],
    ['rsa', ['-m', 'PEM']],
    ['rsa', ['-m', 'PKCS8']],
  ])('%s %j is read, with its passphrase if it has one', async (type, flags) => {
    for (const passphrase of ['', 'open it']) {
      const file = path([type, ...flags, passphrase].join('-').replaceAll(' ', '-'));
      execFileSync('ssh-keygen', [
        '-q',
        '-a',
        '1',
        '-t',
        type,
        ...(type === 'rsa' ? ['-b', '2048'] : []),
        ...flags,
        '-N',
        passphrase,
        '-f',
        file,
      ]);
      expect((await readPrivateKey(file, passphrase)).isPrivateKey()).toBe(true);
      if (passphrase === '') continue;
      await expect(readPrivateKey(file, '')).rejects.toMatchObject({
        codeName: 'PERMISSION_DENIED',
        message: `The key ${file} needs its passphrase`,
      });
      await expect(readPrivateKey(file, 'no')).rejects.toThrow(`The passphrase of the key ${file} is another one`);
    }
  });

  it.each([
    ['PuTTY-User-Key-File-3: ssh-ed25519\n', /is a key of PuTTY.*puttygen/],
    ['ssh-ed25519 AAAA me@desk\n', /is a public key/],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', /is a public key/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /is not a private key/],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', /is damaged/],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n', /is not supported/],
    ['', /is not a private key/],
  ])('that is %j is none', async (content, message) => {
    writeFileSync(path('other'), content);
    await expect(readPrivateKey(path('other'), '')).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  it('that is missing is named', async () => {
    await expect(readPrivateKey(path('nowhere'), '')).rejects.toMatchObject({
      codeName: 'NOT_FOUND',
      message: expect.stringContaining('nowhere'),
    });
  });
});
