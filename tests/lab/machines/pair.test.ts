import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterInfo, MachineInfo } from '../../../proto/ipc/contract.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import type { TaskChild } from '../../support/task-child.ts';
import { lanflow, lanflowJson, startAgent } from './support.ts';

const PIN = /^pairing PIN (\d{3} \d{3})$/;

describeLab('a lab whose agents were started by hand', () => {
  let lab: Lab;
  let desk: LabMachine;
  const agents = new Map<string, TaskChild>();
  const machines = () => lanflowJson<MachineInfo[]>(desk, 'machines');
  const stateOf = async (name: string) => (await machines()).find((each) => each.name === name)?.state;

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
    const [own, ...others] = (await machines()).map(({ id }) => id);
    const addresses = await Promise.all(others.map(async (id) => (await machines()).find((each) => each.id === id)?.addresses[0]));
    expect(addresses).toEqual([lab.machine('lab-1').address(), lab.machine('lab-2').address()]);
    const spec = JSON.stringify({ cluster: { ps: [`${addresses[0]}:0`], worker: [`${addresses[1]}:0`, `${own}:0`] } });
    await desk.shell(`printf '%s' '${spec}' > /root/cluster.json`);
    await lanflow(desk, 'cluster', 'import', '/root/cluster.json', '--title', 'Three');
    const up = await lanflowJson<ClusterInfo>(desk, 'cluster', 'up', 'Three');
    expect(up.state).toBe('running');
  });
});
