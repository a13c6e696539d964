import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConfigProtoSchema } from '#proto/generated/tensorflow/config_pb.ts';
import { type CreateSessionRequest, CreateSessionRequestSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { graphProducer } from '#proto/ops/registry.ts';
import { Code, cancelled, internal, unavailable } from '#proto/wire/status.ts';
import { createMaster } from '../../../../task-server/master/master.ts';
import { failureOf, fakeCluster, PS0, untilCancelled, W0 } from './fake-cluster.ts';
import { graphDef, type NodeSpec } from './graph-builder.ts';

type Config = NonNullable<Parameters<typeof create<typeof ConfigProtoSchema>>[1]>;

function request(nodes: readonly NodeSpec[] = [], config: Config = {}, target = 'grpc://worker.lan:2222'): CreateSessionRequest {
  return create(CreateSessionRequestSchema, { graphDef: graphDef(...nodes), config, target });
}

afterEach(() => vi.useRealTimers());

describe('createSession', () => {
  it('tells every task of the cluster about the session', async () => {
    const { env, workers } = fakeCluster();
    const { sessionHandle, graphVersion } = await createMaster(env).createSession(request([], { isolateSessionState: true }));
    expect(sessionHandle).toMatch(/^[0-9a-f]{16}$/);
    expect(graphVersion).toBe(0n);
    for (const worker of Object.values(workers)) expect([...worker.sessions.keys()]).toEqual([sessionHandle]);
    expect(workers.ps.sessions.get(sessionHandle)).toMatchObject({
      serverDef: { protocol: 'grpc', jobName: 'ps', taskIndex: 0 },
      isolateSessionState: true,
      masterTask: W0,
      masterIncarnation: BigInt.asIntN(64, 2n ** 63n + 5n),
      clusterDeviceAttributes: [],
    });
  });

  it('asks its own task nothing over the wire', async () => {
    const { env, workers } = fakeCluster();
    await createMaster(env).createSession(request());
    expect(workers.w0.count('getStatus')).toBe(0);
    expect(workers.ps.count('getStatus')).toBe(1);
  });

  it('leaves out the tasks that no device filter keeps, but never its own', async () => {
    const { env, workers } = fakeCluster();
    const master = createMaster(env);
    const { sessionHandle } = await master.createSession(request([], { deviceFilters: ['/job:ps'] }));
    expect((await master.listDevices(sessionHandle)).localDevice.map(({ name }) => name)).toEqual([
      `${W0}/device:CPU:0`,
      `${PS0}/device:CPU:0`,
    ]);
    expect(workers.w1.calls).toEqual([]);
    const pinned = request([{ name: 'x', op: 'NoOp', device: '/job:worker/task:1' }], { deviceFilters: ['/job:ps'] });
    expect(await failureOf(master.createSession(pinned))).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: expect.stringContaining(`available devices are [ ${PS0}/device:CPU:0, ${W0}/device:CPU:0 ]`),
    });
  });

  it('names a malformed device filter', async () => {
    const { env, workers } = fakeCluster();
    const failure = await failureOf(createMaster(env).createSession(request([], { deviceFilters: ['worker0'] })));
    expect(failure).toMatchObject({ code: Code.INVALID_ARGUMENT, message: expect.stringContaining("'worker0'") });
    expect(workers.ps.calls).toEqual([]);
  });

  it('waits for a task that is not up, and logs every 10 s which one and why', async () => {
    vi.useFakeTimers();
    const { env, workers, log } = fakeCluster();
    let comeUp = () => {};
    const up = new Promise<void>((resolve) => (comeUp = resolve));
    workers.w1.getStatus = async (options) => {
      expect(options?.waitForReady).toBe(true);
      options?.onWait?.(unavailable('connection refused'));
      await up;
      return [workers.w1.device];
    };
    const session = createMaster(env).createSession(request());
    await vi.advanceTimersByTimeAsync(25_000);
    const line = 'CreateSession still waiting for response from worker: /job:worker/replica:0/task:1 (worker.lan:2222: connection refused)';
    expect(log).toEqual([line, line]);
    comeUp();
    await session;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toHaveLength(2);
    expect(workers.w1.sessions.size).toBe(1);
  });

  it('leaves nothing behind when the client gives up waiting', async () => {
    vi.useFakeTimers();
    const { env, workers, log } = fakeCluster();
    workers.w1.getStatus = (options) => untilCancelled(options);
    const client = new AbortController();
    const session = createMaster(env).createSession(request(), { signal: client.signal });
    client.abort(cancelled('the client went away'));
    expect(await failureOf(session)).toMatchObject({ code: Code.CANCELLED, message: 'the client went away' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual([]);
    for (const worker of Object.values(workers)) expect(worker.sessions.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes the session back when the client goes away while tasks are told', async () => {
    const { env, workers } = fakeCluster();
    const client = new AbortController();
    workers.ps.createWorkerSession = async (_, options) => {
      client.abort(cancelled('the client went away'));
      return untilCancelled(options);
    };
    const session = createMaster(env).createSession(request(), { signal: client.signal });
    expect(await failureOf(session)).toMatchObject({ code: Code.CANCELLED, message: 'the client went away' });
    await vi.waitFor(() => expect(workers.w1.count('deleteWorkerSession')).toBe(1));
    for (const worker of Object.values(workers)) expect(worker.sessions.size).toBe(0);
  });

  it('takes the session back everywhere when one task refuses it', async () => {
    const { env, workers } = fakeCluster();
    workers.ps.createWorkerSession = async () => {
      throw internal('no memory');
    };
    expect(await failureOf(createMaster(env).createSession(request()))).toMatchObject({ code: Code.INTERNAL, message: 'no memory' });
    await vi.waitFor(() => expect(workers.w1.count('deleteWorkerSession')).toBe(1));
    for (const worker of Object.values(workers)) expect(worker.sessions.size).toBe(0);
  });

  it('fails with the error of a task that answers with one, and stops waiting for the others', async () => {
    const { env, workers } = fakeCluster();
    const ended = vi.fn();
    workers.w1.getStatus = (options) => untilCancelled(options).finally(ended);
    workers.ps.getStatus = async () => {
      throw internal('broken');
    };
    expect(await failureOf(createMaster(env).createSession(request()))).toMatchObject({ code: Code.INTERNAL, message: 'broken' });
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  });

  const cluster = (job: string, tasks: Record<number, string>): Config => ({ clusterDef: { job: [{ name: job, tasks }] } });

  it.each<[string, Config, number, string]>([
    [
      'a session thread pool',
      { usePerSessionThreads: true },
      Code.INVALID_ARGUMENT,
      'Distributed session does not support session thread pool options.',
    ],
    [
      'a thread pool per step',
      { sessionInterOpThreadPool: [{}] },
      Code.INVALID_ARGUMENT,
      'Distributed session does not support session thread pool options.',
    ],
    [
      'a cluster in which it has its own name',
      cluster('worker', { 0: 'worker.lan:2222' }),
      Code.INVALID_ARGUMENT,
      'The ClusterSpec names the job and task index to be the same names that were provided when the server booted. ' +
        'This is currently not allowed. Job: worker, task index: 0',
    ],
    [
      'a cluster without it',
      cluster('worker', { 0: 'elsewhere:1' }),
      Code.INVALID_ARGUMENT,
      "The master (current machine) is not included in the provided cluster_def. Its address is 'worker.lan:2222'.",
    ],
    [
      'a cluster in which it has another name',
      cluster('other', { 3: 'worker.lan:2222' }),
      Code.UNIMPLEMENTED,
      `${W0} does not serve sessions with a cluster of their own (ConfigProto.cluster_def). Start the tasks with that cluster instead.`,
    ],
  ])('refuses %s', async (_, config, code, message) => {
    const { env, workers } = fakeCluster();
    expect(await failureOf(createMaster(env).createSession(request([], config)))).toMatchObject({ code, message });
    expect(workers.ps.calls).toEqual([]);
  });

  it.each<[string, NodeSpec[], number, string]>([
    ['a name of the runtime', [{ name: '_x', op: 'NoOp' }], Code.INVALID_ARGUMENT, "Illegal op name '_x'"],
    ['an input of the runtime', [{ name: 'x', op: 'NoOp', input: ['^_y'] }], Code.INVALID_ARGUMENT, "Illegal op input name '^_y'"],
    ['an unknown op', [{ name: 'x', op: 'Foo' }], Code.NOT_FOUND, `Op type not registered 'Foo' in binary running on ${W0}`],
    ['an unknown input', [{ name: 'x', op: 'NoOp', input: ['^y'] }], Code.INVALID_ARGUMENT, "Node 'x': Unknown input node '^y'"],
    [
      'a group named after no node',
      [{ name: 'x', op: 'NoOp', class: ['y'] }],
      Code.INVALID_ARGUMENT,
      "Node 'x' expects to be colocated with unknown node 'y'",
    ],
    [
      'a device that is not there',
      [{ name: 'x', op: 'NoOp', device: '/job:worker/task:7' }],
      Code.INVALID_ARGUMENT,
      'Cannot assign a device for operation x: {{node x}} was explicitly assigned to /job:worker/task:7 but available devices are [ ',
    ],
  ])('refuses a graph with %s and leaves no session', async (_, nodes, code, message) => {
    const { env, workers } = fakeCluster();
    expect(await failureOf(createMaster(env).createSession(request(nodes)))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    for (const worker of Object.values(workers)) expect(worker.count('createWorkerSession')).toBe(0);
  });

  it.each([
    [{ minConsumer: 99_999 }, /^GraphDef min consumer version 99999 above current version \d+ for TensorFlow [\d.]+\. {2}Please upgrade/],
    [{ producer: -1 }, /^GraphDef producer version -1 below min producer 0 supported by TensorFlow [\d.]+\. {2}Please regenerate/],
    [{ badConsumers: [graphProducer] }, /^GraphDef disallows consumer version \d+\./],
  ])('refuses a graph of versions %o', async (versions, message) => {
    const bad = create(CreateSessionRequestSchema, { graphDef: { versions } });
    expect(await failureOf(createMaster(fakeCluster().env).createSession(bad))).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: expect.stringMatching(message),
    });
  });
});
