import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bundle } from '../../../main/install/bundle/bundle.ts';
import { installBySsh, type SshWorkEnv, uninstallBySsh } from '../../../main/install/by-ssh.ts';
import type { Component } from '../../../main/install/component/component.ts';
import type { InstallEnv, Installed } from '../../../main/install/install.ts';
import type { Trust } from '../../../main/install/remote/steps.ts';
import type { Uninstalled } from '../../../main/install/uninstall.ts';
import { probed, stepsWith } from './support/recorded.ts';
import { WindowsMachine, type WindowsMachineOptions } from './support/windows-machine.ts';

const TRUST: Trust = { lab: 'lab', certificate: 'certificate', authority: 'authority', handovers: '', revocations: '' };
const START = ['stop', 'use', 'current', 'firewall', 'start', 'ready'];
const BEGIN = ['place', 'probe', 'lock', 'probe', 'is there', 'checksum', 'unpack', 'note trust', 'trust request', 'trust accept'];

describe('a machine with Windows', () => {
  let desk: string;
  let bundle: Bundle;
  let machine: WindowsMachine | undefined;

  beforeEach(() => {
    desk = mkdtempSync(join(tmpdir(), 'lanflow-desk-'));
    const content = randomBytes(300_000);
    writeFileSync(join(desk, 'bundle'), content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    bundle = { path: join(desk, 'bundle'), id: 'abcdefabcdefabcd', sha256, size: content.length };
  });
  afterEach(async () => {
    await machine?.stop();
    machine = undefined;
    rmSync(desk, { recursive: true });
  });

  async function start(answers: Parameters<typeof stepsWith>[0] = {}, options: Partial<WindowsMachineOptions> = {}) {
    machine = await WindowsMachine.start({ steps: stepsWith(answers), ...options });
    const target = { host: '127.0.0.1', port: machine.port };
    const env: SshWorkEnv & InstallEnv = {
      ssh: { home: desk, userName: 'teacher', agent: undefined, systemFolder: join(desk, 'etc'), askHostKey: async () => true },
      login: { user: 'student', password: 'secret', keyFile: '', passphrase: '' },
      signal: new AbortController().signal,
      onProgress: () => undefined,
      bundleFor: async () => bundle,
      enroll: async () => TRUST,
    };
    return {
      machine,
      install: (more: Partial<InstallEnv> = {}): Promise<Installed> => installBySsh(target, { ...env, ...more }),
      uninstall: (): Promise<Uninstalled> => uninstallBySsh(target, env),
    };
  }

  it.each([
    ['cmd.exe', {}],
    ['PowerShell', { shellSays: "exec : The term 'exec' is not recognized as the name of a cmdlet, function, script file\r\n" }],
  ])('gets the agent as a task, step by step, where the login shell is %s', async (_, options) => {
    let arrived = Buffer.alloc(0);
    const { machine, install } = await start(
      {
        unpack: ({ folder }) => {
          arrived = readFileSync(join(folder, `${bundle.sha256.slice(0, 16)}.part`));
          return '';
        },
        'trust accept': ({ folder }) => {
          expect(JSON.parse(readFileSync(join(folder, 'trust.json'), 'utf8'))).toEqual(TRUST);
          return '';
        },
      },
      options,
    );
    expect(await install()).toEqual({ service: 'scheduled task', isUpgrade: false, leftover: '', clockOffset: expect.any(Number) });
    expect(machine.asked).toEqual([...BEGIN, ...START, 'forget trust', 'remove others', 'unlock']);
    expect(arrived.equals(readFileSync(bundle.path))).toBe(true);
    expect(readdirSync(machine.folder)).toEqual([`${bundle.sha256.slice(0, 16)}.part`]);
    for (const script of machine.scripts.slice(1)) expect(script).toContain("$data='C:\\Users\\o''neil $HOME\\AppData\\Local\\Lanflow'");
  });

  it('says when the agent starts only with its user, for one who is no administrator', async () => {
    const { install } = await start({ start: () => 'logon task' });
    expect(await install()).toMatchObject({ service: 'logon task' });
  });

  it('goes on with an agent that runs already', async () => {
    const { machine, install } = await start({
      probe: () => probed({ installed: 'yes', current: bundle.id }),
      'is there': () => 'True',
      'running as': () => 'scheduled task',
    });
    expect(await install()).toMatchObject({ service: 'scheduled task', isUpgrade: false });
    expect(machine.asked).not.toContain('stop');
    expect(machine.asked).not.toContain('checksum');
  });

  it('goes on with an upload that broke off, and sends a damaged one again as a whole', async () => {
    const { machine, install } = await start();
    const part = join(machine.folder, `${bundle.sha256.slice(0, 16)}.part`);
    writeFileSync(part, Buffer.concat([Buffer.from('damaged'), readFileSync(bundle.path).subarray(7, 100_000)]));
    await install();
    expect(machine.asked.filter((name) => name === 'checksum')).toHaveLength(2);
    expect(readFileSync(part).equals(readFileSync(bundle.path))).toBe(true);
  });

  it('is as it was after a failure, and the error has the words of the agent', async () => {
    const { machine, install } = await start({
      ready: () => ({ error: 'lanflow agent: UNAVAILABLE: the port is taken\n(node:1) Warning' }),
    });
    await expect(install()).rejects.toThrow('The agent does not start on 127.0.0.1: the port is taken');
    expect(machine.asked).toEqual([...BEGIN, ...START, 'put trust back', 'stop', 'remove service', 'remove all', 'unlock']);
  });

  it('has the version before again when a new one does not start', async () => {
    const { machine, install } = await start({
      probe: () => probed({ installed: 'yes', current: '00000000000000ff' }),
      ready: (_, nth) => (nth === 0 ? { error: 'it says nothing' } : ''),
    });
    await expect(install()).rejects.toThrow('it says nothing. The version before runs again');
    expect(machine.asked.slice(BEGIN.length)).toEqual([
      ...START,
      ...['stop', 'put trust back', 'use', 'current', 'firewall', 'start', 'ready', 'remove others', 'unlock'],
    ]);
  });

  it.each([
    [{ release: '10.0.17134.0' }, 'is build 17763; 127.0.0.1 has 10.0.17134.0'],
    [{ processor: 'x86', bits: '32' }, '127.0.0.1 runs Windows x86'],
    [{ missing: 'tar' }, 'lacks the commands tar'],
    [{ writable: '' }, 'cannot be written'],
    [{ agent: '4711' }, 'with process id 4711. Stop it there'],
  ])('is refused before anything is written where the probe says %j', async (facts, message) => {
    const { machine, install } = await start({ probe: () => probed(facts) });
    await expect(install()).rejects.toThrow(message);
    expect(machine.asked).toEqual(['place', 'probe']);
  });

  it('is refused a component before anything is written: these are for Linux', async () => {
    const { machine, install } = await start();
    const component: Component = { ...bundle, unpackedSize: 1, package: { name: 'tfjs-node', version: '4' } };
    await expect(install({ componentFor: async () => component })).rejects.toThrow(
      'Components are for Linux; install 127.0.0.1 without one',
    );
    expect(machine.asked).toEqual(['place', 'probe']);
  });

  it.each([
    ['unpack', 'node: Access is denied', 'The Node that Lanflow brings does not run on 127.0.0.1: Access is denied'],
    ['unpack', 'tar.exe: Write error: There is not enough space on the disk.', 'The disk of 127.0.0.1 is full'],
    ['trust request', 'lanflow agent: INTERNAL: broken', '127.0.0.1 cannot become a machine of the lab: INTERNAL: broken'],
  ])('names what goes wrong when a step fails: %s with %s', async (name, error, message) => {
    const { install } = await start({ [name]: () => ({ error }) });
    await expect(install()).rejects.toThrow(message);
  });

  it('is not enough when its SSH server offers no SFTP', async () => {
    const { install } = await start({}, { hasSftp: false });
    await expect(install()).rejects.toThrow('The SSH server of 127.0.0.1 offers no SFTP');
  });

  it('loses the agent again, and tells by which id the lab knew it', async () => {
    const { machine, uninstall } = await start({ probe: () => probed({ installed: 'yes' }) });
    expect(await uninstall()).toEqual({ wasInstalled: true, machine: '0123456789abcdef', hasOthers: false });
    expect(machine.asked).toEqual(['place', 'probe', 'lock', 'stop', 'remove service', 'remove all', 'unlock']);
  });
});
