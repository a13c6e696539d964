import { afterEach, describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { bytesOf, makeTensor } from '#proto/wire/tensor.ts';
import { type Cluster, type ClusterShape, startCluster } from '../../support/cluster.ts';
import { constant, emptyQueue, floatOp, graphDef, placeholder, scalar, sum, variable } from './graphs.ts';
import { MasterClient } from './master-client.ts';

const closers: (() => unknown)[] = [];

/** Tasks of our own engine prefer the link among themselves; everything holds without it too. */
const ways = [
  { way: 'the link', env: {} },
  { way: 'plain gRPC', env: { LANFLOW_LINK: 'off' } },
];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe.each(ways)('over $way:', ({ env }) => {
  async function clusterOf(shape: Partial<ClusterShape> = {}): Promise<Cluster> {
    const { env: more, ...rest } = shape;
    const cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled', ...rest, env: { ...env, ...more } });
    closers.push(() => cluster.stop());
    return cluster;
  }

  function clientOf(target: string): MasterClient {
    const client = new MasterClient(target);
    closers.push(() => client.dispose());
    return client;
  }

  /** ps adds, worker 1 doubles what comes of it. */
  const twoTasks = graphDef(
    constant('a', scalar(1), '/job:ps/task:0'),
    floatOp('b', 'AddV2', ['a', 'a'], '/job:ps/task:0'),
    floatOp('c', 'AddV2', ['b', 'b'], '/job:worker/task:1'),
  );

  it('a graph over two tasks runs from a third', async () => {
    const cluster = await clusterOf();
    const client = clientOf(cluster.target('worker', 0));
    const session = await client.createSession(twoTasks);
    expect(await client.runStep(session, { fetches: ['c:0'] })).toEqual([scalar(4)]);
    await client.closeSession(session);
  });

  it('proxies of the environment are not asked for the way', async () => {
    const proxy = 'http://127.0.0.1:9';
    const cluster = await clusterOf({ env: { http_proxy: proxy, https_proxy: proxy, grpc_proxy: proxy, no_proxy: '', NO_PROXY: '' } });
    const client = clientOf(cluster.target('worker', 0));
    const session = await client.createSession(twoTasks);
    expect(await client.runStep(session, { fetches: ['c:0'] })).toEqual([scalar(4)]);
  });

  it('a sparse job has the task it lists, and any task may be master, listed first', async () => {
    const cluster = await clusterOf({ jobs: { l: [3], ps: 1 } });
    const client = clientOf(cluster.target('ps', 0));
    const session = await client.createSession(twoTasksOf('/job:l/task:3'));
    expect(await client.listDevices(session)).toEqual(['/job:ps/replica:0/task:0/device:CPU:0', '/job:l/replica:0/task:3/device:CPU:0']);
    expect(await client.runStep(session, { fetches: ['c:0'] })).toEqual([scalar(4)]);
  });

  function twoTasksOf(device: string) {
    return graphDef(constant('a', scalar(2), '/job:ps/task:0'), floatOp('c', 'AddV2', ['a', 'a'], device));
  }

  it('two names of one machine are one master', async () => {
    const cluster = await clusterOf({ jobs: { l: 1 } });
    const graph = graphDef(...variable('v', '/job:l/task:0'));
    const target = cluster.target('l', 0);
    const byNumber = clientOf(target);
    await byNumber.runStep(await byNumber.createSession(graph), { targets: ['v/Assign'] });
    const byName = clientOf(target.replace('127.0.0.1', 'localhost'));
    expect(await byName.runStep(await byName.createSession(graph), { fetches: ['v:0'] })).toEqual([scalar(1)]);
  });

  it('tensors far over 4 MB go in, across and out unchanged', async () => {
    const cluster = await clusterOf();
    const client = clientOf(cluster.target('worker', 0));
    const session = await client.createSession(
      graphDef(
        placeholder('x', '/job:worker/task:0'),
        floatOp('there', 'AddV2', ['x', 'x'], '/job:ps/task:0'),
        floatOp('back', 'Identity', ['there'], '/job:worker/task:1'),
        constant('axes', makeTensor('int32', [1], Int32Array.of(0))),
        sum('total', 'back', 'axes', '/job:ps/task:0'),
      ),
    );
    const count = 10_000_000;
    const x = makeTensor('float', [count], new Float32Array(count).fill(0.25));
    const [back, total] = await client.runStep(session, { feeds: { 'x:0': x }, fetches: ['back:0', 'total:0'] });
    const doubled = makeTensor('float', [count], new Float32Array(count).fill(0.5));
    expect(back?.shape).toEqual([count]);
    expect(back && Buffer.compare(bytesOf(back), bytesOf(doubled))).toBe(0);
    expect(total).toEqual(scalar(count / 2));
  });

  describe('a blocked step', () => {
    const blocked = graphDef(...emptyQueue('q', '/job:ps/task:0'));

    async function blockedStep() {
      const cluster = await clusterOf();
      const client = clientOf(cluster.target('worker', 0));
      const session = await client.createSession(blocked);
      const controller = new AbortController();
      const step = client.runStep(session, { fetches: ['q/dequeue:0'], signal: controller.signal });
      step.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { cluster, client, session, step, controller };
    }

    it('ends CANCELLED within 2 s of closing its session', async () => {
      const { client, session, step } = await blockedStep();
      const begin = Date.now();
      await client.closeSession(session);
      await expect(step).rejects.toMatchObject({
        code: Code.CANCELLED,
        message: expect.stringContaining('Step was cancelled by an explicit call to `Session::Close()`.'),
      });
      expect(Date.now() - begin).toBeLessThan(2000);
    });

    it('ends UNAVAILABLE within 5 s when the task it waits for is killed, and so do later ones at once', async () => {
      const { cluster, client, session, step } = await blockedStep();
      const begin = Date.now();
      await cluster.kill('ps', 0);
      await expect(step).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('/job:ps/replica:0/task:0') });
      expect(Date.now() - begin).toBeLessThan(5000);
      await expect(client.runStep(session, { fetches: ['q/dequeue:0'] })).rejects.toMatchObject({
        code: Code.UNAVAILABLE,
        message: expect.stringMatching(/failed to connect to \/job:ps\/replica:0\/task:0 at .*Connection refused/),
      });
    });

    it('ends UNAVAILABLE within 60 s when the task it waits for no longer moves', { timeout: 90_000 }, async () => {
      const { cluster, step } = await blockedStep();
      const begin = Date.now();
      const stopped = cluster.process('ps', 0);
      stopped.kill('SIGSTOP');
      try {
        await expect(step).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('/job:ps/replica:0/task:0') });
        expect(Date.now() - begin).toBeLessThan(60_000);
      } finally {
        stopped.kill('SIGCONT');
      }
    });

    it('ends when its own master is told to stop, which then exits with 0 within 5 s', async () => {
      const { cluster, step } = await blockedStep();
      const begin = Date.now();
      const code = await cluster.process('worker', 0).stop();
      expect(code).toBe(0);
      expect(Date.now() - begin).toBeLessThan(5000);
      await expect(step).rejects.toSatisfy(({ code }) => code === Code.UNAVAILABLE || code === Code.CANCELLED);
    });

    it('does not keep the task that it waits on from stopping', async () => {
      const { cluster, step } = await blockedStep();
      expect(await cluster.process('ps', 0).stop()).toBe(0);
      await expect(step).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('/job:ps/replica:0/task:0') });
    });
  });

  describe('after a restart', () => {
    it('of the master, its old sessions are not found, and new ones work', async () => {
      const cluster = await clusterOf();
      const client = clientOf(cluster.target('worker', 0));
      const session = await client.createSession(twoTasks);
      await cluster.kill('worker', 0);
      await cluster.start('worker', 0);
      const again = clientOf(cluster.target('worker', 0));
      await expect(again.runStep(session, { fetches: ['c:0'] })).rejects.toMatchObject({
        code: Code.ABORTED,
        message: `Session ${session} is not found.`,
      });
      await expect(again.closeSession(session)).rejects.toMatchObject({
        code: Code.ABORTED,
        message: `Session ${session} is not found. Possibly, this master has restarted.`,
      });
      expect(await again.runStep(await again.createSession(twoTasks), { fetches: ['c:0'] })).toEqual([scalar(4)]);
    });

    it('of the ps, old sessions are ABORTED again and again, and new ones find the variable gone', async () => {
      const cluster = await clusterOf();
      const client = clientOf(cluster.target('worker', 0));
      const graph = graphDef(...variable('v', '/job:ps/task:0'), floatOp('v/read', 'Identity', ['v'], '/job:ps/task:0'));
      const session = await client.createSession(graph);
      await client.runStep(session, { targets: ['v/Assign'] });
      expect(await client.runStep(session, { fetches: ['v/read:0'] })).toEqual([scalar(1)]);
      await cluster.kill('ps', 0);
      await cluster.start('ps', 0);
      // The first try may still meet the broken connection, as with TensorFlow's own servers.
      await client.runStep(session, { fetches: ['v/read:0'] }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      for (let attempt = 0; attempt < 3; attempt++) {
        await expect(client.runStep(session, { fetches: ['v/read:0'] })).rejects.toMatchObject({
          code: Code.ABORTED,
          message: expect.stringMatching(/not found.*Possibly this worker \("\/job:ps\/replica:0\/task:0"\) just restarted/s),
        });
      }
      const fresh = await client.createSession(graph);
      await expect(client.runStep(fresh, { fetches: ['v/read:0'] })).rejects.toMatchObject({
        code: Code.FAILED_PRECONDITION,
        message: expect.stringContaining('uninitialized'),
      });
      await client.runStep(fresh, { targets: ['v/Assign'] });
      expect(await client.runStep(fresh, { fetches: ['v/read:0'] })).toEqual([scalar(1)]);
    });
  });
});
