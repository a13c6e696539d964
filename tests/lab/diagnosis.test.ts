import { existsSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import type { Diagnosis } from '../../main/machines/diagnosis/decide.ts';
import { advertise } from './support/discovery.ts';
import { createLab, type Lab, type LabOptions } from './support/lab.ts';
import { FAKETIME, type LabMachine } from './support/machine.ts';
import { subnetOf } from './support/network.ts';
import { program } from './support/program.ts';
import { describeLab } from './support/requirements.ts';

const AGENT_PORT = 7450;

let lab: Lab | undefined;

async function make(options: LabOptions): Promise<Lab> {
  lab = await createLab(options);
  return lab;
}

afterEach(async () => {
  await lab?.destroy();
  lab = undefined;
});

async function diagnose(from: LabMachine, target: string, own: { version?: string; lab?: string } = {}): Promise<Diagnosis> {
  const { stdout, stderr } = await from.exec(process.execPath, [program('diagnose'), JSON.stringify({ target, ...own })]);
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function serve(machine: LabMachine, port: number): Promise<void> {
  const script = `require('node:net').createServer((socket) => socket.end('SSH-2.0-x')).listen(${port}, () => console.log('ready'))`;
  await machine.spawn(process.execPath, ['-e', script]).line(() => true);
}

describeLab('why a machine is missing', () => {
  it('nobody knows its name, no way leads to it, or nobody has its address', async () => {
    const pc1 = (await make({ machines: 1 })).machine('pc1');
    const [name, route, off] = await Promise.all([diagnose(pc1, 'pc77'), diagnose(pc1, '10.99.0.1'), diagnose(pc1, `${subnetOf()}.200`)]);
    expect(name).toMatchObject({ cause: 'no such name', message: expect.stringContaining("'pc77'") });
    expect(route).toMatchObject({ cause: 'no route', message: expect.stringContaining('10.99.0.1') });
    expect(off).toMatchObject({ cause: 'nobody there', message: expect.stringContaining('switched off') });
  });

  it('no network', async () => {
    const pc1 = (await make({ machines: [{ name: 'pc1', networks: [] }] })).machine('pc1');
    expect((await diagnose(pc1, `${subnetOf()}.10`)).cause).toBe('no network');
  });

  it('no agent runs there, or something else has its port', async () => {
    const made = await make({ machines: 3 });
    const [pc1, pc2, pc3] = made.machines;
    if (!pc1 || !pc2 || !pc3) throw new Error('The lab has three machines');
    await serve(pc3, AGENT_PORT);
    const bare = await diagnose(pc1, pc2.address());
    expect(bare).toMatchObject({ cause: 'refused', message: expect.stringContaining('lanflow agent') });
    await serve(pc2, 22);
    expect(await diagnose(pc1, pc2.address())).toMatchObject({
      cause: 'refused',
      message: expect.stringContaining('answers SSH: install'),
    });
    expect((await diagnose(pc1, pc3.address())).cause).toBe('not an agent');
  });

  it('a firewall there drops what comes to its port', async () => {
    const made = await make({ machines: 2 });
    const pc2 = made.machine('pc2');
    await advertise(pc2);
    await pc2.filterPort(AGENT_PORT);
    // By the name that it announces.
    const { cause, message } = await diagnose(made.machine('pc1'), 'pc2');
    expect(cause).toBe('port filtered');
    expect(message).toContain(`pc2 (${pc2.address()})`);
    expect(message).toContain(`ufw allow ${AGENT_PORT}/tcp`);
  });

  it('it is in another subnet', async () => {
    const networks = { left: { router: true }, right: { router: true } };
    const made = await make({
      machines: [
        { name: 'l', networks: ['left'] },
        { name: 'r', networks: ['right'] },
      ],
      networks,
    });
    await advertise(made.machine('r'));
    expect((await diagnose(made.machine('l'), made.machine('r').address())).cause).toBe('other subnet');
  });

  it('multicast does not pass: from nobody, or not from there', async () => {
    const made = await make({ machines: 3 });
    const [pc1, pc2, pc3] = made.machines;
    if (!pc1 || !pc2 || !pc3) throw new Error('The lab has three machines');
    await advertise(pc2, { silent: true });
    await advertise(pc3);
    expect((await diagnose(pc1, pc2.address())).cause).toBe('multicast blocked there');
    expect((await diagnose(pc1, pc3.address())).cause).toBe('fine');
    await pc1.blockMulticast();
    expect((await diagnose(pc1, pc3.address())).cause).toBe('multicast blocked');
  });

  it('its agent is of another version or another lab', async () => {
    const made = await make({ machines: 2 });
    const pc1 = made.machine('pc1');
    await advertise(made.machine('pc2'), { lab: 'aa' });
    expect((await diagnose(pc1, 'pc2', { lab: 'aa' })).cause).toBe('fine');
    expect(await diagnose(pc1, 'pc2', { lab: 'aa', version: '0.2.0' })).toMatchObject({
      cause: 'other version',
      message: expect.stringContaining('0.1.0, this is 0.2.0'),
    });
    expect((await diagnose(pc1, 'pc2', { lab: 'bb' })).cause).toBe('other lab');
  });

  it.skipIf(!existsSync(FAKETIME))('[needs libfaketime] its clock is off', async () => {
    const made = await make({ machines: [{ name: 'pc1' }, { name: 'pc2', clock: '-3d' }] });
    await advertise(made.machine('pc2'));
    const found = await diagnose(made.machine('pc1'), 'pc2');
    expect(found).toMatchObject({ cause: 'clock off', message: expect.stringContaining('3 days behind') });
  });
});
