import { afterEach, describe, expect, it } from 'vitest';
import { Graph, Session } from '../../../main/client/index.ts';
import { placeGraph } from '../../../main/client/placement.ts';
import { taskStats } from '../../../main/client/session/task-stats.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { python, withTensorFlow } from '../../support/python.ts';
import { constant, floatOp, graphDef, scalar, variable } from './graphs.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function clusterOf(...flags: string[]): Promise<Cluster> {
  const cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled', bundledFlags: flags });
  closers.push(() => cluster.stop());
  return cluster;
}

const cpu = (job: string, task: number): string => `/job:${job}/replica:0/task:${task}/device:CPU:0`;

describe('PlaceGraph', () => {
  it('says where a session would put the nodes on the tasks of its cluster, and why', async () => {
    const cluster = await clusterOf();
    const def = graphDef(
      constant('a', scalar(1), '/job:worker/task:1'),
      floatOp('b', 'AddV2', ['a', 'a'], ''),
      ...variable('v', '/job:worker'),
    );
    const { devices, reasons, problems, available } = await placeGraph(cluster.target('worker', 0), def);
    expect(problems).toEqual([]);
    expect(devices.get('a')).toBe(cpu('worker', 1));
    expect(devices.get('b')).toBe(cpu('ps', 0));
    expect(devices.get('v')).toBe(cpu('worker', 0));
    expect(reasons.get('a')).toBe('requested');
    expect(reasons.get('b')).toBe('first device of the cluster');
    expect(available).toEqual([cpu('ps', 0), cpu('worker', 0), cpu('worker', 1)]);
  });

  it('uses the rule and the master that it is asked for, else its own', async () => {
    const cluster = await clusterOf('--placement', 'local');
    const target = cluster.target('worker', 1);
    const def = graphDef(floatOp('a', 'NoOp', [], ''));
    const place = async (options: Parameters<typeof placeGraph>[2]) => (await placeGraph(target, def, options)).devices.get('a');
    expect(await place({})).toBe(cpu('worker', 1));
    expect(await place({ rule: 'first-task' })).toBe(cpu('ps', 0));
    expect(await place({ master: '/job:worker/replica:0/task:0' })).toBe(cpu('worker', 0));
  });

  it('places on devices that nobody has', async () => {
    const cluster = await clusterOf();
    const devices = ['CPU:0', 'GPU:0', 'GPU:1'].map((id) => `/job:lab/replica:0/task:3/device:${id}`);
    const def = graphDef(constant('a', scalar(1), '/gpu:1'), constant('b', scalar(1), '/cpu:0'));
    const placement = await placeGraph(cluster.target('ps', 0), def, { devices });
    expect([...placement.devices]).toEqual([
      ['a', devices[2]],
      ['b', devices[0]],
    ]);
    await expect(placeGraph(cluster.target('ps', 0), def, { devices: ['/cpu:0'] })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });

  it('tells every problem and places the rest; softly, types and numbers of devices do not count', async () => {
    const cluster = await clusterOf();
    const def = graphDef(
      constant('a', scalar(1), '/job:worker/task:7'),
      constant('b', scalar(1), '/gpu:0'),
      constant('c', scalar(1), 'nowhere'),
      floatOp('d', 'NoSuchOp', ['a'], ''),
      floatOp('e', 'Neg', ['d'], ''),
      floatOp('f', 'AddV2', ['b'], ''),
      floatOp('g', 'Neg', ['b'], ''),
    );
    const hard = await placeGraph(cluster.target('ps', 0), def);
    expect(hard.problems.map(({ node, code }) => [node, code]).sort()).toEqual([
      ['a', 'INVALID_ARGUMENT'],
      ['b', 'INVALID_ARGUMENT'],
      ['c', 'INVALID_ARGUMENT'],
      ['d', 'NOT_FOUND'],
      ['f', 'INVALID_ARGUMENT'],
    ]);
    expect([...hard.devices.keys()]).toEqual(['g']);
    expect(hard.problems.find(({ node }) => node === 'a')?.text).toContain(
      'Cannot assign a device for operation a: {{node a}} was explicitly assigned to /job:worker/task:7 but available devices are',
    );
    const soft = await placeGraph(cluster.target('ps', 0), def, { softPlacement: true });
    expect(soft.problems.map(({ node }) => node).sort()).toEqual(['a', 'c', 'd', 'f']);
    expect(soft.devices.get('b')).toBe(cpu('ps', 0));
    expect(soft.reasons.get('b')).toMatch(/^as requested, but/);
  });

  it('names all nodes that a wrong device takes along', async () => {
    const cluster = await clusterOf();
    const [handle, value, assign] = variable('v', '');
    const def = graphDef({ ...handle }, { ...value }, { ...assign, device: '/job:ps/task:4' });
    const { problems, devices } = await placeGraph(cluster.target('ps', 0), def);
    expect(problems.map(({ colocated }) => [...colocated].sort())).toEqual([['v', 'v/Assign']]);
    expect([...devices.keys()]).toEqual(['v/initial_value']);
  });

  it('refuses a rule that there is not, and gives up when a task does not answer in time', async () => {
    const cluster = await clusterOf();
    await cluster.kill('worker', 1);
    const def = graphDef(constant('a', scalar(1), ''));
    // The type lets only the real ones through.
    const rule = 'best' as 'local';
    await expect(placeGraph(cluster.target('ps', 0), def, { rule })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    await expect(placeGraph(cluster.target('ps', 0), def, { timeoutMs: 500 })).rejects.toMatchObject({ codeName: 'DEADLINE_EXCEEDED' });
  });
});

describe('GetTaskStats', () => {
  it('counts steps and sessions of all tasks that take part', async () => {
    const cluster = await clusterOf();
    const graph = new Graph();
    const sum = graph.device('/job:ps/task:0', () => graph.add(graph.constant(1), 1));
    const session = new Session(cluster.target('worker', 0), { graph });
    for (let step = 0; step < 3; step++) await session.run(sum);
    const stats = await taskStats(cluster.target('ps', 0));
    expect(stats).toMatchObject({ steps: 3, runningSteps: 0, sessions: 1 });
    expect(stats.memory).toBeGreaterThan(2 ** 20);
    expect(stats.uptimeMs).toBeGreaterThan(0);
    expect(await taskStats(cluster.target('worker', 1))).toMatchObject({ steps: 0, sessions: 1 });
    await session.close();
    expect(await taskStats(cluster.target('ps', 0))).toMatchObject({ steps: 3, sessions: 0 });
  });

  it('counts a step that waits as running, and not any more once it is cancelled', async () => {
    const cluster = await clusterOf();
    const graph = new Graph();
    const item = graph.device('/job:ps/task:0', () => graph.fifoQueue(1, 'int32', { shapes: [[]] }).dequeue());
    const session = new Session(cluster.target('worker', 0), { graph });
    const stop = new AbortController();
    const step = session.run(item, { signal: stop.signal }).catch(() => 'cancelled');
    const running = async () => (await taskStats(cluster.target('ps', 0))).runningSteps;
    await expect.poll(running, { timeout: 20_000 }).toBe(1);
    stop.abort();
    expect(await step).toBe('cancelled');
    await expect.poll(running, { timeout: 20_000 }).toBe(0);
    await session.close();
  });

  it('rejects with UNAVAILABLE where nobody listens', async () => {
    await expect(taskStats('grpc://127.0.0.1:1')).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  });
});

describe('a genuine TensorFlow task', () => {
  it.skipIf(!python)(withTensorFlow('answers UNIMPLEMENTED'), async () => {
    const cluster = await startCluster({ jobs: { worker: 1 }, engine: 'tensorflow' });
    closers.push(() => cluster.stop());
    const target = cluster.target('worker', 0);
    await expect(taskStats(target)).rejects.toMatchObject({ codeName: 'UNIMPLEMENTED' });
    await expect(placeGraph(target, graphDef())).rejects.toMatchObject({ codeName: 'UNIMPLEMENTED' });
  });
});
