import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveSettings, type SshSettings } from '../../../../../main/install/ssh/ssh-settings.ts';

describe('SSH settings', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'lanflow-settings-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  async function write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content);
  }

  function resolve(host: string, { port = 22, user = '' } = {}): Promise<SshSettings> {
    const env = { home, userName: 'teacher', agent: '/agent', systemFolder: join(home, 'etc'), askHostKey: () => Promise.resolve(false) };
    return resolveSettings({ host, port }, { user }, env);
  }

  it('without a configuration are those of OpenSSH', async () => {
    expect(await resolve('pc1')).toEqual({
      name: 'pc1',
      host: 'pc1',
      port: 22,
      user: 'teacher',
      identityFiles: [],
      agent: '/agent',
      jumps: [],
      keyName: 'pc1',
      knownHosts: [join(home, '.ssh/known_hosts'), join(home, '.ssh/known_hosts2'), join(home, 'etc/ssh_known_hosts')],
      hashKnownHosts: false,
      strict: 'ask',
    });
  });

  it('come from the first block that says something, the system configuration last', async () => {
    await write(
      '.ssh/config',
      'Host pc1\n  HostName %h.lab\n  Port 2222\n  IdentityFile ~/.ssh/%h-%r\nHost *\n  User student\n  Port 22\n',
    );
    await write('etc/ssh_config', 'Host *\n  User nobody\n  HashKnownHosts yes\n');
    const found = await resolve('pc1');
    expect(found).toMatchObject({ host: 'pc1.lab', port: 2222, user: 'student', keyName: '[pc1.lab]:2222', hashKnownHosts: true });
    expect(found.identityFiles).toEqual([join(home, '.ssh/pc1.lab-student')]);
    expect(await resolve('pc1', { port: 2200, user: 'root' })).toMatchObject({ port: 2200, user: 'root' });
  });

  it('follow included files, within the block that includes them', async () => {
    await write('.ssh/config', 'Include config.d/*.conf missing\nHost b\n  Include inner\n  User outer\n');
    await write('.ssh/config.d/one.conf', 'Host a\n  User included\n');
    await write('.ssh/inner', 'Host c\n  User inner\n');
    await write('.ssh/config.d/two.txt', 'Host a\n  Port 1\n');
    expect((await resolve('a')).user).toBe('included');
    expect((await resolve('b')).user).toBe('outer');
    expect((await resolve('c')).user).toBe('inner');
    await write('.ssh/loop', 'Include loop\n');
    await write('.ssh/config', 'Include loop\nUser after\n');
    expect((await resolve('a')).user).toBe('after');
  });

  it.each([
    ['gate', [{ host: 'gate', port: 22, user: '' }]],
    [
      'one@gate:2222,ssh://[fe80::1]:22',
      [
        { host: 'gate', port: 2222, user: 'one' },
        { host: 'fe80::1', port: 22, user: '' },
      ],
    ],
    ['none', []],
  ])('read ProxyJump %s', async (text, jumps) => {
    await write('.ssh/config', `Host pc1\n  ProxyJump ${text}\n`);
    expect((await resolve('pc1')).jumps).toEqual(jumps);
  });

  it.each([
    ['IdentityAgent none', { agent: undefined }],
    ['IdentityAgent ~/agent.sock', { agent: expect.stringMatching(/\/agent\.sock$/) }],
    ['StrictHostKeyChecking no', { strict: 'accept-new' }],
    ['StrictHostKeyChecking yes', { strict: 'yes' }],
    ['HostKeyAlias lab', { keyName: 'lab' }],
    ['UserKnownHostsFile /dev/null', { knownHosts: ['/dev/null', expect.stringMatching(/ssh_known_hosts$/)] }],
  ])('follow %s', async (text, found) => {
    await write('.ssh/config', `Host *\n  ${text}\n`);
    expect(await resolve('pc1')).toMatchObject(found);
  });

  it.each([
    ['ProxyCommand nc %h %p', 'which Lanflow does not run'],
    ['ProxyJump a b@:', undefined],
    ['ProxyJump a:b:c', "'a:b:c' is no [USER@]HOST[:PORT]"],
  ])('refuse %s', async (text, message) => {
    await write('.ssh/config', `Host *\n  ${text}\n`);
    if (message === undefined) expect((await resolve('pc1')).jumps).toHaveLength(1);
    else await expect(resolve('pc1')).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION', message: expect.stringContaining(message) });
  });
});
