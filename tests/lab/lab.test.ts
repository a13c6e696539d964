import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { createLab, type Lab, type LabOptions } from './support/lab.ts';
import { FAKETIME } from './support/machine.ts';
import { describeLab } from './support/requirements.ts';
import { spaceNames } from './support/spaces.ts';

const CONNECT = `const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1]);
const end = (text) => { console.log(text); process.exit(); };
socket.on('connect', () => end('connected')).on('error', (error) => end(error.code));
setTimeout(() => end('no answer'), 1500);`;

let lab: Lab | undefined;

async function make(options: LabOptions): Promise<Lab> {
  lab = await createLab(options);
  return lab;
}

afterEach(async () => {
  await lab?.destroy();
  lab = undefined;
});

async function connects(made: Lab, from: string, address: string, port: number): Promise<string> {
  const { stdout } = await made.machine(from).exec(process.execPath, ['-e', CONNECT, address, String(port)]);
  return stdout.trim();
}

function serve(made: Lab, name: string, port: number): Promise<string> {
  const script = `require('node:net').createServer().listen(${port}, () => console.log('ready'))`;
  return made
    .machine(name)
    .spawn(process.execPath, ['-e', script])
    .line(() => true);
}

describeLab('a lab', () => {
  it('has machines with addresses, host names, homes and processes of their own', async () => {
    const made = await make({
      machines: [
        { name: 'a', hostName: 'lab-pc' },
        { name: 'b', hostName: 'lab-pc' },
      ],
    });
    const [a, b] = [made.machine('a'), made.machine('b')];
    expect(await a.shell('hostname')).toBe('lab-pc\n');
    expect(await b.shell('hostname')).toBe('lab-pc\n');
    expect(await a.shell('cat /etc/machine-id')).not.toBe(await b.shell('cat /etc/machine-id'));
    await a.shell('echo mine > ~/file; echo mine > /etc/file; echo mine > /tmp/lab-file');
    expect(await b.shell('ls ~ /tmp; ls /etc/file 2>&1 || true')).not.toMatch(/^file|lab-file|^\/etc\/file$/m);
    expect(existsSync('/etc/file') || existsSync('/tmp/lab-file')).toBe(false);
    expect((await a.shell('ps -A -o pid=')).trim().split('\n').length).toBeLessThan(6);
    await expect(a.shell('ip route get 192.0.2.77')).rejects.toThrow('unreachable');
  });

  it('joins machines on one network and keeps networks apart', async () => {
    const machines = [
      { name: 'both', networks: ['left', 'right'] },
      { name: 'l', networks: ['left'] },
      { name: 'r', networks: ['right'] },
    ];
    const made = await make({ machines, networks: { left: {}, right: { mtu: 576 } } });
    await serve(made, 'r', 7000);
    expect(await connects(made, 'both', made.machine('r').address(), 7000)).toBe('connected');
    expect(await connects(made, 'l', made.machine('r').address(), 7000)).toBe('ENETUNREACH');
    expect(await made.machine('r').shell('cat /sys/class/net/eth0/mtu || ip link show eth0')).toContain('576');
  });

  it('routes between networks that have a router', async () => {
    const networks = { left: { router: true }, right: { router: true } };
    const made = await make({
      machines: [
        { name: 'l', networks: ['left'] },
        { name: 'r', networks: ['right'] },
      ],
      networks,
    });
    await serve(made, 'r', 7000);
    expect(await connects(made, 'l', made.machine('r').address(), 7000)).toBe('connected');
  });

  it('filters ports, pulls cables and takes machines away', async () => {
    const made = await make({ machines: 2 });
    const pc2 = made.machine('pc2');
    await serve(made, 'pc2', 7000);
    await serve(made, 'pc2', 7001);
    await pc2.filterPort(7001);
    expect(await connects(made, 'pc1', pc2.address(), 7000)).toBe('connected');
    expect(await connects(made, 'pc1', pc2.address(), 7001)).toBe('no answer');
    expect(await connects(made, 'pc1', pc2.address(), 7002)).toBe('ECONNREFUSED');
    await pc2.unplug();
    expect(await connects(made, 'pc1', pc2.address(), 7000)).toMatch(/no answer|EHOSTUNREACH/);
    await pc2.plug();
    expect(await connects(made, 'pc1', pc2.address(), 7000)).toBe('connected');
    await pc2.disappear();
    expect(await connects(made, 'pc1', pc2.address(), 7000)).toMatch(/no answer|EHOSTUNREACH/);
  });

  it.skipIf(!existsSync(FAKETIME))('[needs libfaketime] sets clocks wrong', async () => {
    const made = await make({ machines: [{ name: 'late', clock: '-3d' }, { name: 'right' }] });
    const [late, right] = await Promise.all(['late', 'right'].map(async (name) => Number(await made.machine(name).shell('date +%s'))));
    expect(Math.abs((right ?? 0) - (late ?? 0) - 3 * 86_400)).toBeLessThan(10);
  });

  it('leaves nothing, even when it could not be made', async () => {
    const own = async (): Promise<readonly string[]> => (await spaceNames()).filter((name) => name.startsWith(`lanflow-${process.pid}-`));
    const devices = (): string[] => readdirSync('/sys/class/net').filter((name) => name.startsWith(`lab${process.pid}-`));
    const made = await make({ machines: 2, withHost: true });
    expect((await own()).length).toBe(3);
    expect(devices()).toHaveLength(1);
    await made.destroy();
    expect(await own()).toEqual([]);
    expect(devices()).toEqual([]);
    await expect(createLab({ machines: [{ name: 'a', networks: ['nowhere'] }] })).rejects.toThrow("no network 'nowhere'");
    expect(await own()).toEqual([]);
  });

  it('of a process that was killed is removed by the next one', async () => {
    const script = `const { spawn, execFileSync } = require('node:child_process');
const name = 'lanflow-' + process.pid + '-1-pc1';
execFileSync('ip', ['netns', 'add', name]);
console.log(name);
setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', script]);
    const [line] = await once(child.stdout, 'data');
    const name = String(line).trim();
    await make({ machines: 0 });
    expect(await spaceNames()).toContain(name);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await lab?.destroy();
    await make({ machines: 0 });
    expect(await spaceNames()).not.toContain(name);
  });
});
