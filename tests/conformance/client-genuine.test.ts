import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AdamOptimizer,
  buildTimeline,
  ClusterSpec,
  GradientDescentOptimizer,
  Graph,
  globalStep,
  MomentumOptimizer,
  Session,
  TraceLevel,
  toChromeTrace,
  toNested,
  toNumber,
  type WaitReport,
} from '../../main/client/index.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { python, withTensorFlow } from '../support/python.ts';

/** The client library alone: its servers here are genuine TensorFlow ones, hosted by Python. */
describe.skipIf(python === undefined)(withTensorFlow('the client on genuine TensorFlow servers'), () => {
  let cluster: Cluster;
  let spec: ClusterSpec;
  const sessions: Session[] = [];
  const open = (graph: Graph, task = 'ps:0'): Session => {
    const [job = '', index] = task.split(':');
    const session = new Session(spec.target(job, Number(index)), { graph, cluster: spec });
    sessions.push(session);
    return session;
  };

  beforeAll(async () => {
    cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'python' });
    spec = new ClusterSpec(cluster.addresses);
  });

  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.close()));
    await cluster?.stop();
  });

  it.each([{ resource: false }, { resource: true }])('fits a line (%o)', async ({ resource }) => {
    const g = new Graph();
    const name = (text: string): string => `${text}_${resource}`;
    const x = Float32Array.from({ length: 100 }, (_, i) => i / 100);
    const target = x.map((value) => value * 0.1 + 0.3);
    const initial = g.randomUniform([1], { min: -1, max: 1 });
    const weight = g.device('/job:ps/task:0', () => g.variable(name('weight'), initial, { resource }));
    const bias = g.device('/job:ps/task:0', () => g.variable(name('bias'), g.zeros([1]), { resource }));
    const loss = g.device('/job:worker/task:0', () => g.reduceMean(g.square(g.sub(g.add(g.mul(weight, x), bias), target))));
    const train = g.device('/job:worker/task:1', () => new GradientDescentOptimizer(0.5).minimize(loss));
    const session = open(g);
    await session.run(g.globalVariablesInitializer());
    for (let step = 0; step < 400; step++) await session.run(train);
    const [w, b] = await session.run([weight, bias]);
    expect(toNumber(w)).toBeCloseTo(0.1, 3);
    expect(toNumber(b)).toBeCloseTo(0.3, 3);
  });

  it.each([
    ['momentum', () => new MomentumOptimizer(0.05, 0.9)],
    ['Adam', () => new AdamOptimizer({ learningRate: 0.1 })],
  ])('trains with %s and counts the steps', async (name, make) => {
    const g = new Graph();
    const w = g.variable(`w_${name}`, [3, -2]);
    const r = g.variable(`r_${name}`, [1, 5], { resource: true });
    const loss = g.add(g.reduceSum(g.square(w)), g.reduceSum(g.square(r)));
    const steps = globalStep(g);
    const train = make().minimize(loss, { globalStep: steps });
    const session = open(g);
    await session.run(g.globalVariablesInitializer());
    const before = toNumber(await session.run(loss));
    for (let step = 0; step < 30; step++) await session.run(train);
    expect(toNumber(await session.run(loss))).toBeLessThan(before / 2);
    expect(toNested(await session.run(steps))).toBe(30n);
  });

  it('sends new nodes before the next run', async () => {
    const g = new Graph();
    const a = g.constant(2);
    const session = open(g);
    expect(toNumber(await session.run(a))).toBe(2);
    const b = g.mul(a, 21);
    const values = await Promise.all(Array.from({ length: 16 }, () => session.run(b)));
    expect(values.map(toNumber)).toEqual(new Array(16).fill(42));
  });

  it('gives results in the structure of the fetches, and feeds what is asked', async () => {
    const g = new Graph();
    const x = g.placeholder('float', [-1], { name: 'x' });
    const v = g.variable('fed', 10);
    const doubled = g.mul(v, 2);
    const session = open(g);
    await session.run(g.globalVariablesInitializer());
    const { both, fed, done } = await session.run(
      { both: [g.reduceSum(x), g.reduceSum(x), 'x:0'], fed: doubled, done: g.noOp() },
      {
        feeds: [
          [x, [1, 2]],
          [v.snapshot, 3],
        ],
      },
    );
    expect([toNested(both[2]), toNumber(fed), done]).toEqual([[1, 2], 6, undefined]);
    expect(toNumber(await session.run(v))).toBe(10);
    await expect(session.run(x)).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      message: expect.stringContaining("placeholder tensor 'x'"),
    });
  });

  it('reports variables without a value until they have one', async () => {
    const g = new Graph();
    const v = g.device('/job:ps/task:0', () => g.variable('late', 0));
    const r = g.device('/job:ps/task:0', () => g.variable('later', 0, { resource: true }));
    const missing = g.reportUninitializedVariables();
    const session = open(g, 'worker:0');
    expect(toNested(await session.run(missing))).toEqual(['late', 'later']);
    await expect(session.run(v)).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: expect.stringContaining('uninitialized value late'),
    });
    await session.run([v.initializer, r.initializer]);
    expect(toNested(await session.run(missing))).toEqual([]);
  });

  it('takes one branch', async () => {
    const g = new Graph();
    const flag = g.placeholder('bool', []);
    const x = g.placeholder('float', [2]);
    const y = g.cond(
      flag,
      () => g.mul(x, x),
      () => g.neg(x),
    );
    const [dx] = g.gradients(y, [x]);
    const session = open(g);
    const run = async (on: boolean) =>
      (
        await session.run([y, dx ?? x], {
          feeds: [
            [flag, on],
            [x, [2, 3]],
          ],
        })
      ).map(toNested);
    expect(await run(true)).toEqual([
      [4, 9],
      [4, 6],
    ]);
    expect(await run(false)).toEqual([
      [-2, -3],
      [-1, -1],
    ]);
  });

  it('fills and empties a queue', async () => {
    const g = new Graph();
    const queue = g.fifoQueue(3, 'float', { shapes: [[]] });
    const session = open(g);
    const taken = session.run(queue.dequeueMany(2));
    await session.run(queue.enqueueMany([1, 2, 3]));
    expect((await taken).map(toNested)).toEqual([[1, 2]]);
    expect(toNumber(await session.run(queue.size()))).toBe(1);
    await session.run(queue.dequeue());
    const blocked = new AbortController();
    const waiting = session.run(queue.dequeue(), { signal: blocked.signal });
    setTimeout(() => blocked.abort(), 200);
    await expect(waiting).rejects.toMatchObject({ codeName: 'CANCELLED' });
    await expect(session.run(queue.dequeue(), { timeoutMs: 300 })).rejects.toMatchObject({ codeName: 'DEADLINE_EXCEEDED' });
  });

  it('traces a step over three tasks into a timeline and a Chrome trace', async () => {
    const g = new Graph();
    const product = g.device('/job:worker/task:0', () => g.matmul(g.ones([8, 8]), g.randomUniform([8, 8]), { name: 'mm0' }));
    const sum = g.device('/job:worker/task:1', () => g.add(product, 1, { name: 'add1' }));
    const v = g.device('/job:ps/task:0', () => g.variable('traced', g.zeros([8, 8])));
    const update = v.assignAdd(sum);
    const session = open(g);
    await session.run(v.initializer);
    const { metadata } = await session.runWithMetadata(update, {
      options: { traceLevel: TraceLevel.FULL_TRACE, outputPartitionGraphs: true },
    });
    expect(metadata?.partitionGraphs).toHaveLength(3);
    const { devices } = buildTimeline(metadata?.stepStats ?? { $typeName: 'tensorflow.StepStats', devStats: [] });
    expect(devices.map(({ device }) => device)).toEqual(
      ['ps/replica:0/task:0', 'worker/replica:0/task:0', 'worker/replica:0/task:1'].map((t) => `/job:${t}/device:CPU:0`),
    );
    const transfer = devices[0]?.entries.find((entry) => entry.transfer)?.transfer;
    expect(transfer).toMatchObject({ from: devices[2]?.device, to: devices[0]?.device, bytes: 256 });
    const trace = toChromeTrace(buildTimeline(metadata?.stepStats ?? { $typeName: 'tensorflow.StepStats', devStats: [] }));
    expect(trace.traceEvents.flatMap((event) => (event.ph === 'X' ? [`${event.args['name']} ${event.name}`] : []))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^mm0 .*MatMul$/), 'add1 AddV2', 'AssignAdd AssignAdd']),
    );
  });

  it('moves tensors of 120 MB both ways', async () => {
    const g = new Graph();
    const x = g.placeholder('float', [10_000, 3000]);
    const session = open(g);
    const data = new Float32Array(30_000_000).fill(0.5);
    const [back, mean] = await session.run([g.mul(x, 1), g.reduceMean(x)], {
      feeds: new Map([[x, { dtype: 'float', shape: [10_000, 3000], data }]]),
    });
    expect(toNumber(mean)).toBeCloseTo(0.5, 4);
    expect(back.data).toHaveLength(30_000_000);
  });

  it('lists the devices of all tasks', async () => {
    const devices = await open(new Graph()).listDevices();
    expect(
      devices
        .filter(({ type }) => type === 'CPU')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(spec.tasks.map(({ name }) => `${name}/device:CPU:0`).sort());
  });

  it('frees variables on reset, which ends the sessions of that master', async () => {
    const g = new Graph();
    const v = g.device('/job:worker/task:1', () => g.variable('to_be_reset', 1));
    const before = new Session(spec.target('worker', 1), { graph: g });
    await before.run(v.initializer);
    await Session.reset(spec.target('worker', 1));
    await expect(before.run(v)).rejects.toMatchObject({ codeName: 'ABORTED' });
    const after = new Session(spec.target('worker', 1), { graph: g });
    expect(toNested(await after.run(v.isInitialized()))).toBe(false);
    await after.close();
  });

  it('names a task that the master waits for, within 5 s', async () => {
    const partial = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'python', later: ['worker:0'] });
    try {
      const reports: WaitReport[] = [];
      const own = new ClusterSpec(partial.addresses);
      const g = new Graph();
      const one = g.constant(1);
      const session = new Session(own.target('ps', 0), { graph: g, cluster: own, onWait: (report) => reports.push(report) });
      const running = session.run(one);
      await expect.poll(() => reports.length, { timeout: 5000 }).toBeGreaterThan(0);
      expect(reports[0]).toMatchObject({
        task: '/job:worker/replica:0/task:0',
        address: own.address('worker', 0),
        reason: expect.stringContaining('refused'),
      });
      await partial.start('worker', 0);
      expect(toNumber(await running)).toBe(1);
      await session.close();
    } finally {
      await partial.stop();
    }
  });
});
