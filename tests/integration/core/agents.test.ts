import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterInfo } from '#proto/ipc/contract.ts';
import { agentAddress, endAgents, launchAgent } from '../../support/agent.ts';
import { processesWith } from '../../support/processes.ts';
import { CoreClient } from './core-client.ts';

const WORKER = '/job:worker/replica:0/task:0';

describe('cores and the agent of their machine', () => {
  let data: string;
  const cores: CoreClient[] = [];

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
  });
  afterEach(async () => {
    await Promise.all(cores.splice(0).map((core) => core.leave()));
    await endAgents();
    // Those that outlive their agent, after a test that has failed.
    for (const { pid } of tasks()) process.kill(pid, 'SIGKILL');
    await rm(data, { recursive: true });
  });

  const open = (): CoreClient => {
    const core = new CoreClient(data);
    cores.push(core);
    return core;
  };
  const save = async (core: CoreClient, workers: number, id?: string): Promise<ClusterInfo> => {
    const machine = (await core.call('machines.list', null))[0]?.id ?? '';
    const tasks = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ index, machine, engine: 'bundled', port: 0, virtualGpus: 0 }) as const);
    return core.call('clusters.save', {
      ...(id !== undefined && { id }),
      title: 'Lab',
      jobs: [
        { name: 'ps', tasks: tasks(1) },
        { name: 'worker', tasks: tasks(workers) },
      ],
    });
  };
  const start = async (core: CoreClient): Promise<ClusterInfo> => {
    const { id } = await save(core, 1);
    return core.call('clusters.start', { cluster: id });
  };
  const agents = () => processesWith(data).filter(({ command }) => command.includes('task-server/agent.js'));
  const tasks = () => processesWith(data).filter(({ command }) => command.includes('task-server/index.js'));
  const portsOf = ({ jobs }: ClusterInfo) => jobs.flatMap((job) => job.tasks.map(({ address }) => Number(address.split(':')[1])));
  const whenState = (core: CoreClient, state: ClusterInfo['state']) =>
    core.when('clusters.changed', ({ clusters }) => clusters[0]?.state === state);

  it('a core that is killed takes agent and tasks with it within 5 s, and leaves no port in use', async () => {
    const core = open();
    const cluster = await start(core);
    expect([agents().length, tasks().length]).toEqual([1, 2]);
    await core.kill();
    cores.length = 0;
    await expect.poll(() => processesWith(data), { timeout: 5000 }).toEqual([]);
    for (const port of portsOf(cluster)) expect(await answers(port)).toBe(false);
  });

  it('an agent that is killed takes its tasks with it; the core says so, and restarts them with another one', async () => {
    const core = open();
    const { id } = await start(core);
    const lost = core.when(
      'clusters.changed',
      ({ clusters }) => clusters[0]?.jobs[1]?.tasks[0]?.reason.includes('restart the task') === true,
    );
    process.kill(agents()[0]?.pid ?? 0, 'SIGKILL');
    expect((await lost).clusters[0]?.jobs[1]?.tasks[0]?.state).toBe('lost');
    await expect.poll(() => tasks(), { timeout: 5000 }).toEqual([]);
    for (const task of ['/job:ps/replica:0/task:0', WORKER]) await core.call('clusters.restartTask', { cluster: id, task });
    expect((await core.call('clusters.list', null))[0]?.state).toBe('running');
    expect((await core.call('machines.list', null))[0]).toMatchObject({ state: 'online', isThis: true, isInstalled: false, tasks: 2 });
  });

  it('two share one private agent and see the same cluster, until the last of them leaves', async () => {
    const first = open();
    const second = open();
    await Promise.all([first.call('machines.list', null), second.call('machines.list', null)]);
    expect(agents()).toHaveLength(1);
    const runsThere = whenState(second, 'running');
    const { id } = await start(first);
    const seen = (await runsThere).clusters[0];
    expect(seen?.jobs[1]?.tasks[0]).toMatchObject({ name: WORKER, state: 'running' });
    const began = performance.now();
    // Also when it is the one that has started the agent.
    await first.leave();
    expect(performance.now() - began).toBeLessThan(3000);
    expect([agents().length, tasks().length]).toEqual([1, 2]);
    await second.call('clusters.restartTask', { cluster: id, task: WORKER });
    await second.leave();
    await expect.poll(() => processesWith(data), { timeout: 5000 }).toEqual([]);
  });

  it('one is stopped by the other', async () => {
    const first = open();
    const { id } = await start(first);
    const second = open();
    await second.call('machines.list', null);
    await whenState(second, 'running');
    const stopped = whenState(first, 'stopped');
    expect((await second.call('clusters.stop', { cluster: id })).state).toBe('stopped');
    await stopped;
    expect(tasks()).toEqual([]);
  });

  it('what one saves, changes and removes is seen by the other', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.call('machines.list', null), second.call('machines.list', null)]);
    const isThere = second.when('clusters.changed', ({ clusters }) => clusters.length === 1);
    const { id } = await save(first, 1);
    await isThere;
    const hasMore = second.when('clusters.changed', ({ clusters }) => clusters[0]?.jobs[1]?.tasks.length === 3);
    await save(first, 3, id);
    await hasMore;
    const isGone = second.when('clusters.changed', ({ clusters }) => clusters.length === 0);
    await first.call('clusters.remove', { cluster: id });
    await isGone;
  });

  it('an agent that runs already is used, and keeps the tasks when the core leaves', async () => {
    const agent = launchAgent(data, [], { LANFLOW_DATA: data });
    await agent.line((text) => text.startsWith('ready '));
    const first = open();
    const cluster = await start(first);
    expect((await first.call('machines.list', null))[0]?.isInstalled).toBe(true);
    expect(agents().map(({ pid }) => pid)).toEqual([(await agentAddress(data)).pid]);
    await first.leave();
    expect(tasks()).toHaveLength(2);
    const second = open();
    await second.call('machines.list', null);
    await expect.poll(async () => (await second.call('clusters.list', null))[0]?.state).toBe('running');
    expect(portsOf((await second.call('clusters.list', null))[0] as ClusterInfo)).toEqual(portsOf(cluster));
    await second.call('clusters.stop', { cluster: cluster.id });
    expect(tasks()).toEqual([]);
    agent.kill('SIGTERM');
    await agent.ended;
  });

  it('an agent whose tasks outlive it is killed: a run goes on, the core says what is missing, and goes on with the next agent', async () => {
    const launch = async () => {
      const agent = launchAgent(data, ['--keep-tasks'], { LANFLOW_DATA: data });
      await agent.line((text) => text.startsWith('ready '));
      return agent;
    };
    const agent = await launch();
    const core = open();
    const { id } = await save(core, 2);
    const before = await core.call('clusters.start', { cluster: id });
    const seen = new Set<string>();
    core.on('clusters.changed', ({ clusters }) => seen.add(clusters[0]?.state ?? ''));
    const hasReason = (text: string) =>
      core.when('clusters.changed', ({ clusters }) => clusters[0]?.jobs[1]?.tasks[0]?.reason.includes(text) === true);
    const away = hasReason('the task goes on, and nobody watches it: ');
    agent.kill('SIGKILL');
    await away;
    const over = core.when('runs.changed', ({ run }) => run.endedAt > 0);
    await core.call('runs.start', { program: 'ps-workers', cluster: id });
    const next = await launch();
    const back = core.when('clusters.changed', ({ clusters }) => clusters[0]?.jobs[1]?.tasks[0]?.reason === '');
    expect((await over).run).toMatchObject({ state: 'finished', problems: [], restarts: [] });
    const after = (await back).clusters[0];
    expect(after?.jobs.map(({ tasks }) => tasks.map(({ startedAt, incarnation }) => ({ startedAt, incarnation })))).toEqual(
      before.jobs.map(({ tasks }) => tasks.map(({ startedAt }) => ({ startedAt, incarnation: expect.any(String) }))),
    );
    expect([seen, agents().length]).toEqual([new Set(['running']), 1]);
    expect((await core.call('clusters.stop', { cluster: id })).state).toBe('stopped');
    expect(tasks()).toEqual([]);
    next.kill('SIGTERM');
    await next.ended;
  });

  it('a running cluster takes in a task and lets one go, at its old addresses', async () => {
    const core = open();
    const before = await start(core);
    const grown = await save(core, 2, before.id);
    expect([grown.state, portsOf(grown).slice(0, 2), tasks().length]).toEqual(['running', portsOf(before), 3]);
    const shrunk = await save(core, 1, before.id);
    expect([shrunk.state, portsOf(shrunk), tasks().length]).toEqual(['running', portsOf(before), 2]);
    expect(shrunk.jobs[0]?.tasks[0]?.restarts).toBe(2);
  });

  it('shows what a task says, and how its machine fares', async () => {
    const core = open();
    const { id } = await start(core);
    const { lines, total } = await core.call('clusters.logs', { cluster: id, task: WORKER, from: 0 });
    expect([lines.length, lines[0]?.source, lines[0]?.kind]).toEqual([total, WORKER, 'task']);
    expect(lines[0]?.text).toMatch(/started process \d+/);
    const { machines } = await core.when('machines.changed', ({ machines: [machine] }) => machine?.tasks === 2);
    expect(machines[0]).toMatchObject({ state: 'online', reason: '', versions: { Node: process.versions.node } });
    expect(machines[0]?.diskTotal).toBeGreaterThan(machines[0]?.diskFree ?? Number.POSITIVE_INFINITY);
  });
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}
