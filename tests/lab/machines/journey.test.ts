import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterInfo, InstallInfo, MachineInfo } from '../../../proto/ipc/contract.ts';
import { addUser, homeTree, killAgentOnly, processesOf, startSshd } from '../install/support/ssh-server.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { CLI, lanflow, lanflowJson } from './support.ts';

const NAMES = ['lab-1', 'lab-2', 'lab-3'];
const USER = 'student';
const PASSWORD = 'pa$$ "word"';

describeLab('from three bare machines to a class that trains on them', () => {
  let lab: Lab;
  let desk: LabMachine;
  const before = new Map<string, string>();
  const all = (): readonly LabMachine[] => NAMES.map((name) => lab.machine(name));
  const idOf = async (name: string): Promise<string> =>
    (await lanflowJson<MachineInfo[]>(desk, 'machines')).find((each) => each.name === name)?.id ?? '';
  const status = (title: string) => lanflowJson<ClusterInfo>(desk, 'cluster', 'status', title);
  const tasksOf = (cluster: ClusterInfo) => cluster.jobs.flatMap(({ tasks }) => tasks);

  /** With the password on standard input, as one types it once for all. */
  async function remotely(verb: string, machines: readonly LabMachine[]): Promise<readonly InstallInfo[]> {
    const hosts = machines.map((machine) => `${USER}@${machine.address()}`).join(' ');
    const command = `${process.execPath} ${CLI} ${verb} ${hosts} --password-stdin --accept-new --json`;
    return JSON.parse(await desk.shell(`${command} <<'END'\n${PASSWORD}\nEND`)) as InstallInfo[];
  }

  /** Keeps a cluster and starts it; resolves to the address of its first task. */
  async function start(title: string, jobs: Readonly<Record<string, readonly string[]>>): Promise<string> {
    const entries = await Promise.all(
      Object.entries(jobs).map(async ([job, names]) => [job, await Promise.all(names.map(async (name) => `${await idOf(name)}:0`))]),
    );
    await desk.shell(`cat > cluster.json <<'END'\n${JSON.stringify(Object.fromEntries(entries))}\nEND`);
    await lanflow(desk, 'cluster', 'import', 'cluster.json', '--title', title);
    await lanflow(desk, 'cluster', 'up', title);
    return tasksOf(await status(title))[0]?.address ?? '';
  }

  beforeAll(async () => {
    lab = await createLab({ machines: ['desk', ...NAMES].map((name) => ({ name })) });
    desk = lab.machine('desk');
    for (const machine of all()) {
      await startSshd(machine);
      await addUser(machine, USER, { password: PASSWORD });
      before.set(machine.name, await homeTree(machine, USER));
    }
  });

  afterAll(() => lab?.destroy());

  it('installs on all of them with one credential, and they are machines of the lab', async () => {
    const installs = await remotely('install', all());
    expect(installs.map(({ stage }) => stage)).toEqual(['done', 'done', 'done']);
    const online = async () =>
      (await lanflowJson<MachineInfo[]>(desk, 'machines'))
        .filter(({ state, isThis }) => !isThis && state === 'online')
        .map(({ name }) => name);
    await expect.poll(async () => (await online()).sort(), { timeout: 20_000 }).toEqual(NAMES);
  });

  /** Resolves to what the demo prints, driven from the desk through the first task. */
  const runDemo = (cluster: ClusterInfo): Promise<string> => {
    const spec = JSON.stringify(Object.fromEntries(cluster.jobs.map(({ name, tasks }) => [name, tasks.map(({ address }) => address)])));
    return lanflow(desk, 'run', 'ps-workers', '--target', `grpc://${tasksOf(cluster)[0]?.address}`, '--cluster', spec);
  };

  it('runs the demo on a ps and two workers, which outlive the command that started them', async () => {
    await start('Demo', { ps: ['lab-1'], worker: ['lab-2', 'lab-3'] });
    const cluster = await status('Demo');
    expect([cluster.state, tasksOf(cluster).map(({ state }) => state)]).toEqual(['running', ['running', 'running', 'running']]);
    expect(await runDemo(cluster)).toContain('10');
  });

  it('says which task was killed, and where', async () => {
    const worker = tasksOf(await status('Demo')).find(({ name }) => name === '/job:worker/replica:0/task:0');
    await lab.machine('lab-2').shell(`kill -KILL $(pgrep -u ${USER} -f -- '--job worker')`);
    await expect
      .poll(async () => tasksOf(await status('Demo')).find(({ name }) => name === worker?.name), { timeout: 10_000 })
      .toMatchObject({ state: 'lost', machine: await idOf('lab-2'), reason: expect.stringContaining('SIGKILL') });
    await lanflow(desk, 'cluster', 'down', 'Demo');
    expect((await status('Demo')).state).toBe('stopped');
  });

  it('runs the regression of four tasks on three machines, also while agents are killed, which have their tasks again when they are back', async () => {
    const target = await start('Four', { canshu: ['lab-1', 'lab-2'], gongzuo: ['lab-3', 'lab-1'] });
    const processes = async () => tasksOf(await status('Four')).map(({ state, address, incarnation }) => ({ state, address, incarnation }));
    let running = await processes();
    while (running.some(({ incarnation }) => incarnation === '')) running = await processes();
    const run = lanflow(desk, 'run', 'in-graph-regression', '--target', `grpc://${target}`);
    const hit = all().slice(0, 2);
    for (const machine of hit) await killAgentOnly(machine, USER);
    await run;
    expect((await remotely('install', hit)).map(({ stage }) => stage)).toEqual(['done', 'done']);
    await expect.poll(processes, { timeout: 10_000 }).toEqual(running);
    await lanflow(desk, 'cluster', 'up', 'Demo');
  });

  it('says that a machine has vanished, and stops what can be stopped', async () => {
    await lab.machine('lab-3').disappear();
    await expect
      .poll(async () => (await lanflowJson<MachineInfo[]>(desk, 'machines')).find(({ name }) => name === 'lab-3')?.state, {
        timeout: 20_000,
      })
      .toBe('lost');
    await expect(lanflow(desk, 'cluster', 'down', 'Four')).rejects.toThrow(/\/job:gongzuo\/replica:0\/task:0: It may still run/);
  });

  it('moves the task of the vanished machine to another one, and the cluster trains on', async () => {
    const moved = await lanflow(desk, 'cluster', 'move', 'Demo', 'worker:1', 'lab-1');
    expect(moved).toMatch(/^\/job:worker\/replica:0\/task:1 is on lab-1, at \S+:\d+\n$/);
    const cluster = await status('Demo');
    expect(tasksOf(cluster).map(({ state }) => state)).toEqual(['running', 'running', 'running']);
    expect(await runDemo(cluster)).toContain('10');
  });

  it('lets a user without a certificate in as long as the cluster is open to his machine', async () => {
    const stranger = lab.machine('lab-2');
    const target = `grpc://${tasksOf(await status('Demo'))[0]?.address}`;
    const look = () => lanflow(stranger, 'devices', '--target', target, '--timeout', '3');
    await expect(look()).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
    const opened = await lanflow(desk, 'cluster', 'open', 'Demo', '--to', stranger.address(), '--for', '1h');
    expect(opened).toContain(`  ${target} /job:ps/replica:0/task:0\n`);
    expect(await look()).toContain('/job:worker/replica:0/task:1/device:CPU:0');
    expect(await lanflow(desk, 'cluster', 'close', 'Demo')).toBe("Cluster 'Demo' is closed\n");
    await lanflow(desk, 'cluster', 'down', 'Demo');
  });

  it('leaves nothing where it is uninstalled, not even tasks whose agent was killed', async () => {
    const rest = all().slice(0, 2);
    await start('Left', { a: ['lab-1', 'lab-2'] });
    await killAgentOnly(lab.machine('lab-2'), USER);
    for (const machine of rest) expect((await processesOf(machine, USER)).join()).toContain('--job a');
    expect((await remotely('uninstall', rest)).map(({ stage }) => stage)).toEqual(['done', 'done']);
    for (const machine of rest) {
      expect(await homeTree(machine, USER)).toBe(before.get(machine.name));
      expect(await processesOf(machine, USER)).toEqual([]);
    }
  });
});
