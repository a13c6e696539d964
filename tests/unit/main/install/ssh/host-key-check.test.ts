import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostKeyCheck } from '../../../../../main/install/ssh/host-key-check.ts';
import type { HostKeyQuestion } from '../../../../../main/install/ssh/ssh-env.ts';
import { resolveSettings } from '../../../../../main/install/ssh/ssh-settings.ts';

const KEY = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIKey', 'base64');

describe('the check of a host key', () => {
  let home: string;
  let questions: HostKeyQuestion[];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lanflow-check-'));
    questions = [];
  });
  afterEach(() => rm(home, { recursive: true }));

  async function check(config = ''): Promise<HostKeyCheck> {
    await mkdir(join(home, '.ssh'), { recursive: true });
    await writeFile(join(home, '.ssh/config'), config);
    const env = { home, userName: 'me', systemFolder: join(home, 'etc'), askHostKey: ask };
    return HostKeyCheck.load(await resolveSettings({ host: 'pc1', port: 2222 }, { user: '' }, env));
  }

  const ask = async (question: HostKeyQuestion): Promise<boolean> => {
    questions.push(question);
    return true;
  };

  it('asks once, notes the key for this user alone, and does not break the line before', async () => {
    const first = await check();
    await writeFile(join(home, '.ssh/known_hosts'), 'other ssh-rsa AAAA');
    await first.settle(KEY, ask);
    await first.settle(KEY, ask);
    await (await check()).settle(KEY, ask);
    expect(questions).toEqual([{ host: 'pc1', type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:/) }]);
    expect(await readFile(join(home, '.ssh/known_hosts'), 'utf8')).toBe(
      `other ssh-rsa AAAA\n[pc1]:2222 ssh-ed25519 ${KEY.toString('base64')}\n`,
    );
  });

  it('makes the file readable for this user alone, with the name hashed where the configuration says so', async () => {
    await (await check('HashKnownHosts yes')).settle(KEY, ask);
    const path = join(home, '.ssh/known_hosts');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toMatch(/^\|1\|/);
    expect((await check()).judge(KEY)).toEqual({ kind: 'known' });
  });

  it('trusts new keys or none without a question, as StrictHostKeyChecking says', async () => {
    await expect((await check('StrictHostKeyChecking yes')).settle(KEY, ask)).rejects.toThrow('forbids new ones');
    await (await check('StrictHostKeyChecking accept-new\nUserKnownHostsFile /dev/null')).settle(KEY, ask);
    expect(questions).toEqual([]);
  });

  it('remembers a key that is noted nowhere, so that the next try goes on', async () => {
    const nowhere = await check('UserKnownHostsFile /dev/null');
    await nowhere.settle(KEY, ask);
    expect(nowhere.judge(KEY)).toEqual({ kind: 'known' });
  });

  it('says so when the key cannot be noted', async () => {
    const first = await check(`UserKnownHostsFile ${join(home, '.ssh/config/known_hosts')}`);
    await expect(first.settle(KEY, ask)).rejects.toThrow('known_hosts cannot be written');
  });
});
