import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import { taskStats } from '../../main/client/index.ts';
import { pairMachine } from '../../main/machines/lan/pair-machine.ts';
import { Rpc } from '../../main/machines/rpc.ts';
import { admit, machineOf } from '../support/lan-agent.ts';
import type { TaskChild } from '../support/task-child.ts';
import { makeTlsLab, type TlsLab } from '../support/tls-lab.ts';
import { browse } from './support/discovery.ts';
import { createLab, type Lab } from './support/lab.ts';
import type { LabMachine } from './support/machine.ts';
import { describeLab } from './support/requirements.ts';

const cli = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));
const PORT = 7470;
const { method } = AgentService;

let lab: Lab | undefined;
let trust: TlsLab | undefined;
const opened: Rpc[] = [];

afterEach(async () => {
  for (const rpc of opened.splice(0)) rpc.close();
  await lab?.destroy();
  await trust?.dispose();
  lab = undefined;
  trust = undefined;
});

interface Started {
  readonly child: TaskChild;
  readonly id: string;
  readonly pin: string;
}

/** What a person does at a machine. */
async function startAgent(machine: LabMachine, flags: readonly string[] = []): Promise<Started> {
  const child = machine.spawn(process.execPath, [cli, 'agent', ...flags], { env: { LANFLOW_DATA: '/tmp/lanflow' } });
  const id = (await child.line((line) => line.startsWith('ready '))).split(' ')[2] ?? '';
  const pin = (await child.line((line) => line.startsWith('pairing PIN '))).slice('pairing PIN '.length);
  return { child, id, pin };
}

/** The host has one network of this address at a time; other tests may be running. */
const networks = { lan: { subnet: `10.${80 + (process.pid % 100)}.${process.pid % 250}` } };

const targetOf = (machine: LabMachine): string => `dns:${machine.address()}:${PORT}`;

/** What the person then does at his own computer: the host. */
async function join(machine: LabMachine, { id, pin }: Started, { lab: authority }: TlsLab): Promise<void> {
  const admitTo = { admit: (name: string, request: string) => admit(authority, name, request) };
  await pairMachine({ target: { target: targetOf(machine), name: machine.name }, machine: id, pin, lab: admitTo });
}

function open(machine: LabMachine, by?: TlsLab): Rpc {
  const secure = by && { secure: secureDial(new Credentials(by.user, () => undefined)) };
  const rpc = new Rpc({ target: targetOf(machine), name: machine.name, ...secure });
  opened.push(rpc);
  return rpc;
}

describeLab('agents of a lab', () => {
  it('are seen, become members by a PIN, and leave with a goodbye', async () => {
    lab = await createLab({ machines: 2, networks, withHost: true });
    trust = await makeTlsLab();
    const pc1 = lab.machine('pc1');
    const browser = await browse(lab.machine('pc2'));
    const up = browser.event('up');
    const agent = await startAgent(pc1);
    const { machine: seen } = await up;
    expect(seen).toMatchObject({ machine: agent.id, name: 'pc1', port: PORT, lab: '', fingerprint: '' });
    expect(seen.addresses).toContain(pc1.address());
    expect(seen.versions).toMatchObject({ lanflow: expect.any(String) });
    await join(pc1, agent, trust);
    const joined = browser.event('changed', ({ machine }) => machine.lab !== '');
    const { id } = await trust.lab.facts();
    const fingerprint = (await trust.lab.issued()).at(-1)?.fingerprint.replaceAll(':', '').toLowerCase();
    expect((await joined).machine).toMatchObject({ lab: id, fingerprint });
    expect(await machineOf(open(pc1, trust))).toMatchObject({ id: agent.id, lab: id, port: PORT, hostName: 'pc1' });
    const lost = browser.event('lost');
    agent.child.kill('SIGTERM');
    expect((await lost).machine).toMatchObject({ machine: agent.id, isHere: false });
    expect(await agent.child.ended).toBe(0);
  });

  it('start the tasks of a cluster across machines, which speak TLS', async () => {
    lab = await createLab({ machines: 2, networks, withHost: true });
    trust = await makeTlsLab();
    const [pc1, pc2] = [lab.machine('pc1'), lab.machine('pc2')];
    const { user: tls } = trust;
    const agents = await Promise.all([startAgent(pc1), startAgent(pc2)]);
    await join(pc1, agents[0], trust);
    await join(pc2, agents[1], trust);
    const [one, two] = [open(pc1, trust), open(pc2, trust)];
    const ports = await Promise.all([one, two].map(async (rpc) => (await rpc.unary(method.reservePorts, { port: [0] })).port[0]));
    const addresses = [`${pc1.address()}:${ports[0]}`, `${pc2.address()}:${ports[1]}`];
    const held = await one.unary(method.checkReach, { address: [addresses[1] ?? '', `${pc2.address()}:1`] });
    expect(held.reach.map(({ outcome }) => outcome)).toEqual(['open', 'refused']);
    const spec = JSON.stringify({ ps: [addresses[0]], worker: [addresses[1]] });
    const setup = { cluster: 'c', index: 0, spec, engine: 'bundled', startId: 's' };
    const ps = await one.unary(method.startTask, { ...setup, job: 'ps' });
    await two.unary(method.startTask, { ...setup, job: 'worker' });
    for (const address of addresses) {
      const stats = (): Promise<string> =>
        taskStats(`grpc://${address}`, { tls }).then(
          () => 'answered',
          () => 'refused',
        );
      await expect.poll(stats, { timeout: 20_000 }).toBe('answered');
      await expect(taskStats(`grpc://${address}`)).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
    }
    // The agent itself asks its task by the address that it has on the LAN.
    const log = async (): Promise<string> => (await one.unary(method.getLogs, { id: ps.id })).line.map(({ text }) => text).join('\n');
    expect(await log()).not.toContain(`refused a connection from ${pc1.address()}`);
    await Promise.all([one.unary(method.stopTask, { id: ps.id }), two.unary(method.stopTask, { id: 'c/job:worker/task:0' })]);
  });

  it('take any free port when theirs is in use, and say so', async () => {
    lab = await createLab({ machines: 2 });
    const pc1 = lab.machine('pc1');
    const taken = pc1.spawn(process.execPath, ['-e', `require('node:net').createServer().listen(${PORT}, () => console.log('ready'))`]);
    await taken.line(() => true);
    const browser = await browse(lab.machine('pc2'));
    const agent = await startAgent(pc1);
    const { machine } = await browser.event('up');
    expect(machine.port).not.toBe(PORT);
    expect(agent.child.stderr()).toContain(
      `port 7470 is in use by another program: this agent answers other machines at port ${machine.port}`,
    );
  });

  it('say so when their clock is off', async () => {
    const machines = [{ name: 'pc1', clock: '-3d' }];
    lab = await createLab({ machines, networks, withHost: true });
    trust = await makeTlsLab();
    const pc1 = lab.machine('pc1');
    const agent = await startAgent(pc1);
    const { time } = await open(pc1).unary(PairingService.method.hello, {});
    expect(time - Date.now()).toBeLessThan(-2 * 24 * 60 * 60 * 1000);
    await expect(join(pc1, agent, trust)).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/is not valid before .*this machine's clock says .*: set the clock/),
    });
  });
});
