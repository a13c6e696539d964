import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineInfo } from '../../../proto/ipc/contract.ts';
import type { TaskChild } from '../../support/task-child.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { program } from '../support/program.ts';
import { describeLab } from '../support/requirements.ts';
import { CORE, lanflow, lanflowJson, spawnLanflow, startAgent } from './support.ts';

const PIN = /^pairing PIN (\d{3} \d{3})$/;
const PS = '/job:ps/replica:0/task:0';
const READY = /^ready grpc:\/\/(\S+) (\S+)$/;

describeLab('a lab whose agents were started by hand', () => {
  let lab: Lab;
  let desk: LabMachine;
  let up: TaskChild;
  /** Of the tasks of the cluster that is up. */
  let addresses: Readonly<Record<string, string>>;
  const agents = new Map<string, TaskChild>();
  /** By name: they are found in any order. */
  const machines = async () => (await lanflowJson<MachineInfo[]>(desk, 'machines')).sort((a, b) => (a.name < b.name ? -1 : 1));
  const stateOf = async (name: string) => (await machines()).find((each) => each.name === name)?.state;

  /** Of the tasks that `up` says to be ready, in their order. */
  async function hosts(): Promise<readonly string[]> {
    const ready = await Promise.all([1, 2, 3].map(() => up.line((line) => READY.test(line))));
    addresses = Object.fromEntries(ready.map((line) => [READY.exec(line)?.[2] ?? '', READY.exec(line)?.[1] ?? '']));
    return Object.values(addresses).map((address) => address.replace(/:\d+$/, ''));
  }

  async function pair(name: string): Promise<MachineInfo> {
    const line = await agents.get(name)?.line((each) => PIN.test(each));
    return lanflowJson<MachineInfo>(desk, 'pair', name, '--pin', PIN.exec(line ?? '')?.[1] ?? '');
  }

  beforeAll(async () => {
    lab = await createLab({ machines: [{ name: 'desk' }, { name: 'lab-1' }, { name: 'lab-2' }] });
    desk = lab.machine('desk');
    for (const name of ['lab-1', 'lab-2']) agents.set(name, await startAgent(lab.machine(name)));
  });

  afterAll(() => lab?.destroy());

  it('finds them, and says that they belong to no lab', async () => {
    const list = async () => (await machines()).map(({ name, isThis, state }) => [name, isThis, state]);
    await expect.poll(list, { timeout: 20_000 }).toEqual([
      ['desk', true, 'online'],
      ['lab-1', false, 'unpaired'],
      ['lab-2', false, 'unpaired'],
    ]);
  });

  it('refuses a wrong PIN, and goes on with the right one', async () => {
    await expect(lanflow(desk, 'pair', 'lab-1', '--pin', '000 000')).rejects.toThrow('PERMISSION_DENIED: The PIN is wrong');
    expect(await pair('lab-1')).toMatchObject({ name: 'lab-1', state: 'online', isInstalled: true });
    expect(await pair('lab-2')).toMatchObject({ state: 'online', cores: expect.any(Number) });
    expect(await stateOf('lab-1')).toBe('online');
  });

  it('starts a cluster on both and on the own machine, over mutual TLS, and runs a program there', async () => {
    const [own, one, two] = (await machines()).map(({ id }) => id);
    const spec = JSON.stringify({ ps: [`${one}:0`], worker: [`${two}:0`, `${own}:0`] });
    await desk.shell(`printf '%s' '${spec}' > cluster.json`);
    await lanflow(desk, 'cluster', 'import', 'cluster.json', '--title', 'Three');
    up = spawnLanflow(desk, 'cluster', 'up', 'Three');
    expect(await hosts()).toEqual([lab.machine('lab-1').address(), lab.machine('lab-2').address(), desk.address()]);
    const target = `grpc://${addresses[PS]}`;
    expect(await lanflowJson(desk, 'devices', '--target', target)).toHaveLength(3);
    const cluster = JSON.stringify({
      ps: [addresses[PS]],
      worker: [0, 1].map((i) => addresses[`/job:worker/replica:0/task:${i}`]),
    });
    expect(await lanflow(desk, 'run', 'ps-workers', '--target', target, '--cluster', cluster)).toContain('10');
    // Without a certificate of the lab nothing answers.
    await expect(lanflow(lab.machine('lab-2'), 'devices', '--target', target, '--timeout', '3')).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
  });

  it('lets programs that know no TLS in by a gateway of the app, at addresses of the desk', async () => {
    const app = desk.spawn(process.execPath, [program('open-gateway'), CORE, 'Three']);
    const gateway = JSON.parse(await app.line((line) => line.startsWith('{')));
    expect(Object.keys(gateway).sort()).toEqual(Object.keys(addresses).sort());
    for (const address of Object.values(gateway)) expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await lanflowJson(desk, 'devices', '--target', `grpc://${gateway[PS]}`)).toHaveLength(3);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    await expect(lanflow(desk, 'devices', '--target', `grpc://${gateway[PS]}`, '--timeout', '3')).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
  });

  it('lets them in by a gateway of the command line, too', async () => {
    const gateway = spawnLanflow(desk, 'gateway', '--to', addresses[PS] ?? '');
    const line = await gateway.line((each) => each.startsWith('gateway '));
    expect(await lanflowJson(desk, 'devices', '--target', line.split(' ')[1] ?? '')).toHaveLength(3);
    gateway.kill('SIGINT');
    expect(await gateway.ended).toBe(0);
  });

  it('ends the cluster when who has started it goes', async () => {
    up.kill('SIGTERM');
    expect(await up.ended).toBe(0);
  });

  it('brings the cluster up again next week, when its machines have other addresses', async () => {
    const moved: string[] = [];
    for (const [i, name] of ['lab-1', 'lab-2'].entries()) {
      const before = lab.machine(name).address();
      moved.push(before.replace(/\d+$/, String(200 + i)));
      await lab.machine(name).shell(`ip address del ${before}/24 dev eth0 && ip address add ${moved[i]}/24 dev eth0`);
    }
    up = spawnLanflow(desk, 'cluster', 'up', 'Three');
    expect(await hosts()).toEqual([...moved, desk.address()]);
    expect(await lanflowJson(desk, 'devices', '--target', `grpc://${addresses[PS]}`)).toHaveLength(3);
    up.kill('SIGTERM');
    expect(await up.ended).toBe(0);
  });
});
