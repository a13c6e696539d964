import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runScript } from '../../../main/install/remote/shell.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { subnetOf } from '../support/network.ts';
import { describeLab } from '../support/requirements.ts';
import { Desk, type WorkOptions } from './support/desk.ts';
import { addUser, asUser, HOST_KEY, startSshd } from './support/ssh-server.ts';

const run = promisify(execFile);

describeLab('an SSH login', () => {
  let lab: Lab;
  let pc: LabMachine;
  let behind: LabMachine;
  let desk: Desk;
  const path = (...names: string[]): string => join(desk.home, '.ssh', ...names);

  /** Who one is there. */
  async function login(options: WorkOptions, machine = pc): Promise<string> {
    const ssh = await desk.connect(machine, options);
    try {
      return (await runScript(ssh, 'id -un')).stdout.trim();
    } finally {
      ssh.close();
    }
  }

  /** A key of its own, which the user's account takes. */
  async function makeKey(
    name: string,
    { user, flags = ['-t', 'ed25519'], passphrase = '' }: { user?: string; flags?: string[]; passphrase?: string },
  ): Promise<void> {
    await mkdir(path(), { recursive: true, mode: 0o700 });
    await run('ssh-keygen', ['-q', '-a', '1', ...flags, '-N', passphrase, '-f', path(name)]);
    const key = await readFile(path(`${name}.pub`), 'utf8');
    if (user === undefined) return;
    for (const machine of [pc, behind]) await asUser(machine, user, `mkdir -p -m 700 .ssh && cat >> .ssh/authorized_keys <<'K'\n${key}K`);
  }

  beforeAll(async () => {
    [lab, desk] = await Promise.all([createLab({ machines: 2, withHost: true }), Desk.open()]);
    [pc, behind] = [lab.machine('pc1'), lab.machine('pc2')];
    await Promise.all([startSshd(pc), startSshd(behind)]);
    for (const machine of [pc, behind]) await addUser(machine, 'student');
  });

  afterEach(async () => {
    desk.accepts = true;
    desk.questions.length = 0;
    await rm(path(), { recursive: true, force: true });
    for (const machine of [pc, behind]) await asUser(machine, 'student', 'rm -rf .ssh');
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close()]);
  });

  it('asks about a key that is not known, as ssh-keygen prints it, before it shows anything, and once', async () => {
    const printed = (await pc.shell(`ssh-keygen -lf ${HOST_KEY}`)).split(' ')[1] ?? '';
    desk.accepts = false;
    await expect(login({ user: 'student' })).rejects.toThrow(`The key of ${pc.address()} was not accepted: ssh-ed25519 ${printed}`);
    desk.accepts = true;
    expect(await login({ user: 'student' })).toBe('student');
    expect(await login({ user: 'student' })).toBe('student');
    expect(desk.questions.map(({ fingerprint }) => fingerprint)).toEqual([printed, printed]);
    expect((await run('ssh-keygen', ['-F', pc.address(), '-f', path('known_hosts')])).stdout).toContain('found: line 1');
  });

  it('takes keys that OpenSSH has noted, hashed and with a port, and asks a server with several keys for the one that is known', async () => {
    await pc.shell(`ssh-keygen -q -t rsa -N '' -f /etc/ssh/lab_rsa`);
    await startSshd(pc, { port: 2201, lines: ['HostKey /etc/ssh/lab_rsa'] });
    const key = await pc.shell('cat /etc/ssh/lab_rsa.pub');
    await mkdir(path(), { recursive: true });
    await writeFile(path('known_hosts'), `# mine\n[${pc.address()}]:2201 ${key}`);
    await run('ssh-keygen', ['-H', '-f', path('known_hosts')]);
    expect(await readFile(path('known_hosts'), 'utf8')).not.toContain(pc.address());
    expect(await login({ user: 'student', port: 2201 })).toBe('student');
    expect(desk.questions).toEqual([]);
  });

  it('is refused to a host whose key has changed, before a password is sent', async () => {
    await login({ user: 'student' });
    const other = (await behind.shell(`cut -d' ' -f1-2 ${HOST_KEY}.pub`)).trim();
    await writeFile(path('known_hosts'), `# mine\n${pc.address()} ${other}\n`);
    const refused = login({ user: 'student' });
    await expect(refused).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await expect(refused).rejects.toThrow(
      /has changed: line 2 of .*\/\.ssh\/known_hosts has SHA256:.*, but it shows ssh-ed25519 SHA256:.*ssh-keygen -R/,
    );
    expect(desk.questions).toHaveLength(1);
  });

  it('with a wrong password says what was tried and what the server takes', async () => {
    await expect(login({ user: 'student', password: 'wrong' })).rejects.toMatchObject({
      codeName: 'PERMISSION_DENIED',
      message: `${pc.address()} does not let 'student' in (tried: password; the server takes: publickey, password). Check user name and password or key`,
    });
  });

  it.each([
    ['OpenSSH', ['-t', 'ed25519']],
    ['PEM', ['-t', 'rsa', '-b', '2048', '-m', 'PEM']],
    ['PKCS#8', ['-t', 'ecdsa', '-m', 'PKCS8']],
  ])('takes a key in the form of %s, with its passphrase only', async (_, flags) => {
    await makeKey('own', { user: 'student', flags, passphrase: 'open it' });
    const own = { user: 'student', password: '' };
    const keyFile = path('own');
    expect(await login({ ...own, login: { keyFile, passphrase: 'open it' } })).toBe('student');
    await expect(login({ ...own, login: { keyFile } })).rejects.toThrow(`The key ${keyFile} needs its passphrase`);
    await expect(login({ ...own, login: { keyFile, passphrase: 'no' } })).rejects.toThrow(
      `The passphrase of the key ${keyFile} is another one`,
    );
    await expect(login({ ...own, login: { keyFile: `${keyFile}.pub` } })).rejects.toThrow(`${keyFile}.pub is a public key`);
  });

  it('goes through all keys of an SSH agent and of ~/.ssh, though the server hangs up after some', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await makeKey(name, {});
    await makeKey('id_ed25519', { user: 'student' });
    const { stdout } = await run('ssh-agent', ['-s']);
    const [agent = '', pid = ''] = /SSH_AUTH_SOCK=([^;]+);.*SSH_AGENT_PID=(\d+)/s.exec(stdout)?.slice(1) ?? [];
    try {
      const env = { ...process.env, SSH_AUTH_SOCK: agent };
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await run('ssh-add', ['-q', path(name)], { env });
      desk.agent = agent;
      expect(await login({ user: 'student', password: '' })).toBe('student');
    } finally {
      desk.agent = undefined;
      process.kill(Number(pid));
    }
  });

  it('answers a server that asks, also after a key', async () => {
    const lines = ['UsePAM yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication yes'];
    await startSshd(pc, { port: 2202, lines });
    await startSshd(pc, { port: 2203, lines: [...lines, 'AuthenticationMethods publickey,keyboard-interactive'] });
    expect(await login({ user: 'student', port: 2202 })).toBe('student');
    await makeKey('id_ed25519', { user: 'student' });
    expect(await login({ user: 'student', port: 2203 })).toBe('student');
  });

  it('goes by ~/.ssh/config: names, users, keys, and hosts between, which are never shown the password', async () => {
    await makeKey('lab', { user: 'student' });
    await asUser(behind, 'student', 'rm -rf .ssh');
    await mkdir(path('config.d'));
    await writeFile(path('config'), 'Include config.d/*\n');
    await writeFile(
      path('config.d', 'lab'),
      `Host gate\n  HostName ${pc.address()}\n  User student\n  IdentityFile ~/.ssh/lab\nHost inner\n  HostName ${behind.address()}\n  ProxyJump gate\n`,
    );
    const inner = await desk.connectTo({ host: 'inner', port: 22 }, { user: 'student' });
    expect((await runScript(inner, 'hostname')).stdout.trim()).toBe('pc2');
    inner.close();
    expect(desk.questions.map(({ host }) => host)).toEqual(['gate', 'inner']);
    await rm(path('lab'));
    await expect(desk.connectTo({ host: 'inner', port: 22 }, { user: 'student' })).rejects.toThrow(
      /^gate does not let 'student' in \(nothing to show was found/,
    );
  });

  it('is tried again when the server drops some of many', async () => {
    await startSshd(pc, { port: 2204, lines: ['MaxStartups 2:100:2'] });
    await login({ user: 'student', port: 2204 });
    const all = await Promise.all(Array.from({ length: 12 }, () => login({ user: 'student', port: 2204 })));
    expect(all).toEqual(Array(12).fill('student'));
  });

  it('names what is in the way of a connection', async () => {
    await expect(login({ user: 'student', port: 2299 })).rejects.toThrow(
      `No SSH server answers on ${pc.address()}, port 2299: install openssh-server`,
    );
    await expect(desk.connectTo({ host: 'nowhere.invalid', port: 22 }, { user: 'student' })).rejects.toThrow(
      "No machine is called 'nowhere.invalid'",
    );
    await expect(desk.connectTo({ host: `${subnetOf()}.200`, port: 22 }, { user: 'student' })).rejects.toThrow(
      `${subnetOf()}.200 (${subnetOf()}.200) cannot be reached`,
    );
    await mkdir(path(), { recursive: true });
    await writeFile(path('config'), 'Host by-command\n  ProxyCommand nc %h %p\n');
    await expect(desk.connectTo({ host: 'by-command', port: 22 }, { user: 'student' })).rejects.toThrow('which Lanflow does not run');
  });
});
