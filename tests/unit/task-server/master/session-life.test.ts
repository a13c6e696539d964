import { create } from '@bufbuild/protobuf';
import { describe, expect, it, vi } from 'vitest';
import { CreateSessionRequestSchema, ExtendSessionRequestSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { Code, unavailable } from '#proto/wire/status.ts';
import { createMaster } from '../../../../task-server/master/master.ts';
import type { CallOptions } from '../../../../task-server/worker/worker-interface.ts';
import { failureOf, fakeCluster, PS0, untilCancelled, W0, W1 } from './fake-cluster.ts';
import { graphDef, type NodeSpec } from './graph-builder.ts';

const HERE: NodeSpec = { name: 'here', op: 'NoOp', device: '/job:worker/task:0' };
const THERE: NodeSpec = { name: 'there', op: 'NoOp', device: '/job:ps/task:0' };

async function session(...nodes: readonly NodeSpec[]) {
  const cluster = fakeCluster();
  const master = createMaster(cluster.env);
  const { sessionHandle } = await master.createSession(create(CreateSessionRequestSchema, { graphDef: graphDef(...nodes) }));
  const extend = (version: bigint, ...added: readonly NodeSpec[]) =>
    master.extendSession(create(ExtendSessionRequestSchema, { sessionHandle, currentGraphVersion: version, graphDef: graphDef(...added) }));
  const run = (...targets: readonly string[]) => master.runStep({ sessionHandle, feeds: [], fetches: [], targets, options: undefined });
  return { ...cluster, master, sessionHandle, extend, run };
}

describe('extendSession', () => {
  it('counts versions and makes the new nodes run', async () => {
    const { extend, run, workers } = await session(HERE);
    expect(await extend(0n, THERE)).toBe(1n);
    expect(await extend(1n, { name: 'after', op: 'NoOp', input: ['^there'], device: '/job:ps/task:0' })).toBe(2n);
    await run('after');
    expect([...workers.ps.graphs.values()][0]?.node.map(({ name }) => name)).toEqual(['there', 'after']);
  });

  it.each<[string, bigint, NodeSpec[], number, string]>([
    ['another version', 1n, [THERE], Code.ABORTED, 'Current version is 0 but caller expected 1.'],
    [
      'a node that is there already',
      0n,
      [HERE],
      Code.INVALID_ARGUMENT,
      "GraphDef argument to Extend includes node 'here', which was created by a previous call to Create or Extend in this session.",
    ],
    ['a name of the runtime', 0n, [{ name: '_x', op: 'NoOp' }], Code.INVALID_ARGUMENT, "Illegal op name '_x'"],
    ['the same node twice', 0n, [THERE, THERE], Code.INVALID_ARGUMENT, "Node 'there' is not unique"],
  ])('refuses %s and leaves the graph as it was', async (_, version, nodes, code, message) => {
    const { extend, run } = await session(HERE);
    expect(await failureOf(extend(version, ...nodes))).toMatchObject({ code, message });
    expect(await failureOf(run('there'))).toMatchObject({ code: Code.NOT_FOUND });
    expect(await extend(0n, THERE)).toBe(1n);
  });

  it('leaves the graph as it was when a new node has no place', async () => {
    const { extend } = await session(HERE);
    const failure = await failureOf(extend(0n, { name: 'x', op: 'NoOp', device: '/job:nope' }));
    expect(failure.message).toContain('Cannot assign a device for operation x');
    expect(await extend(0n, { name: 'x', op: 'NoOp' })).toBe(1n);
  });

  it('refuses another producer version', async () => {
    const { master, sessionHandle } = await session(HERE);
    const request = create(ExtendSessionRequestSchema, { sessionHandle, graphDef: { versions: { producer: 999 } } });
    expect(await failureOf(master.extendSession(request))).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: "Can't extend GraphDef at version 1000 with graph at version 999.",
    });
  });

  it('of an unknown session is ABORTED', async () => {
    const { master } = await session();
    const request = create(ExtendSessionRequestSchema, { sessionHandle: '0123' });
    expect(await failureOf(master.extendSession(request))).toMatchObject({ code: Code.ABORTED, message: 'Session 0123 is not found.' });
  });
});

describe('listDevices', () => {
  it("lists the master's own task first and the others in the order of the cluster", async () => {
    const { master, sessionHandle } = await session();
    const { localDevice, remoteDevice } = await master.listDevices(sessionHandle);
    expect([...localDevice, ...remoteDevice].map(({ name }) => name)).toEqual([W0, PS0, W1].map((task) => `${task}/device:CPU:0`));
  });

  it('without a session asks the cluster', async () => {
    const { master } = await session();
    const { localDevice, remoteDevice } = await master.listDevices('');
    expect(localDevice.map(({ name }) => name)).toEqual([`${W0}/device:CPU:0`]);
    expect(remoteDevice.map(({ name }) => name)).toEqual([`${PS0}/device:CPU:0`, `${W1}/device:CPU:0`]);
  });

  it('of an unknown session is INVALID_ARGUMENT', async () => {
    const { master } = await session();
    expect(await failureOf(master.listDevices('0123'))).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'Session 0123 is not found. Possibly, this master has restarted.',
    });
  });
});

describe('closeSession', () => {
  const CLOSED = { code: Code.CANCELLED, message: 'Step was cancelled by an explicit call to `Session::Close()`.' };

  it('takes the session from all tasks; it is unknown from then on', async () => {
    const { master, sessionHandle, workers, run } = await session(HERE);
    await master.closeSession(sessionHandle);
    for (const worker of Object.values(workers)) expect(worker.sessions.size).toBe(0);
    expect(await failureOf(run('here'))).toMatchObject({ code: Code.ABORTED, message: `Session ${sessionHandle} is not found.` });
    expect(await failureOf(master.closeSession(sessionHandle))).toMatchObject({
      code: Code.ABORTED,
      message: `Session ${sessionHandle} is not found. Possibly, this master has restarted.`,
    });
  });

  it('cancels the running steps and takes the session away only after they have been cleaned up', async () => {
    const { master, sessionHandle, workers, run } = await session(HERE, THERE);
    const parked = vi.fn((_: unknown, options?: CallOptions) => untilCancelled(options));
    workers.w0.runGraph = parked;
    workers.ps.runGraph = parked;
    const failures = [failureOf(run('here')), failureOf(run('here', 'there'))];
    await vi.waitFor(() => expect(parked).toHaveBeenCalledTimes(3));
    const remove = workers.ps.deleteWorkerSession.bind(workers.ps);
    workers.ps.deleteWorkerSession = async (request) => {
      expect(workers.ps.cleaned).toHaveLength(1);
      return remove(request);
    };
    await master.closeSession(sessionHandle);
    for (const failure of failures) expect(await failure).toMatchObject(CLOSED);
    expect(workers.ps.sessions.size).toBe(0);
  });

  it('succeeds although a task is gone, and logs that', async () => {
    const { master, sessionHandle, workers, log } = await session(THERE);
    workers.ps.deleteWorkerSession = async (_, options) => {
      expect(options?.timeoutMs).toBe(10_000);
      throw unavailable('connection refused');
    };
    await master.closeSession(sessionHandle);
    expect(log).toEqual([`Session ${sessionHandle} could not be deleted on ${PS0}: connection refused`]);
    expect(workers.w1.sessions.size).toBe(0);
  });

  it('leaves other sessions alone', async () => {
    const { master, sessionHandle, run } = await session(HERE);
    const other = await master.createSession(create(CreateSessionRequestSchema, {}));
    await master.closeSession(other.sessionHandle);
    await run('here');
    expect((await master.listDevices(sessionHandle)).localDevice).toHaveLength(3);
  });
});

describe('reset', () => {
  it('frees the containers on all tasks and ends every session', async () => {
    const { master, workers, run } = await session(HERE);
    await master.createSession(create(CreateSessionRequestSchema, {}));
    await master.reset(['boxA', 'boxB'], []);
    for (const worker of Object.values(workers)) {
      expect(worker.count('cleanupAll:boxA,boxB')).toBe(1);
      expect(worker.sessions.size).toBe(0);
    }
    expect(await failureOf(run('here'))).toMatchObject({ code: Code.ABORTED });
  });

  it('spares tasks that no device filter keeps', async () => {
    const { master, workers } = await session();
    await master.reset([], ['/job:ps']);
    expect(workers.ps.count('cleanupAll:')).toBe(1);
    expect(workers.w1.count('cleanupAll:')).toBe(0);
  });

  it('goes on when a task is gone', async () => {
    const { master, workers, log } = await session();
    workers.ps.cleanupAll = async () => {
      throw unavailable('connection refused');
    };
    await master.reset([], []);
    expect(log).toEqual([`Reset could not free the containers of ${PS0}: connection refused`]);
    expect(workers.w1.sessions.size).toBe(0);
  });
});

describe('dispose', () => {
  it('ends all sessions and says why to their steps', async () => {
    const { master, workers, run } = await session(HERE);
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    const failure = failureOf(run('here'));
    await vi.waitFor(() => expect(workers.w0.count('registerGraph')).toBe(1));
    await master.dispose();
    expect(await failure).toMatchObject({ code: Code.CANCELLED, message: `Step was cancelled because ${W0} is shutting down` });
    expect(workers.w1.sessions.size).toBe(0);
  });
});
