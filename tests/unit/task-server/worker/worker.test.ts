import { describe, expect, it } from 'vitest';
import { Code, cancelled, invalidArgument } from '#proto/wire/status.ts';
import { DEAD } from '../../../../task-server/engine/kernel.ts';
import type { Resource } from '../../../../task-server/engine/resource-manager.ts';
import { type Behaviour, node, scalar, source, testKernels } from '../engine/engine-kit.ts';
import { cpu, recvNode, register, runCall, sendNode, sessionRequest, TASK_0, TASK_1, transferKey, twoWorkers } from './worker-kit.ts';

const CPU_0 = cpu(TASK_0);
const CPU_1 = cpu(TASK_0, 1);
const REMOTE = cpu(TASK_1);

/** Fed as `x:0` and fetched as `y:0`, both at the client device: `y = x + x`. */
const feedKey = transferKey(CPU_0, CPU_0, 'x:0');
const doubling = [
  recvNode({ name: '_recv_x_0', from: CPU_0, to: CPU_0 }),
  node('y', 'AddV2', { inputs: ['_recv_x_0', '_recv_x_0'], device: CPU_0 }),
];

function workersWith(behaviour: Behaviour = {}) {
  return twoWorkers(testKernels([], behaviour));
}

describe('a step', () => {
  it('takes its feeds from the call and leaves its fetches in the answer', async () => {
    const [{ worker }] = workersWith();
    const send = sendNode({ name: '_send_y_0', input: 'y', from: CPU_0, to: CPU_1 });
    const graph = await register(worker, 's', [...doubling, send]);
    const fetchKey = transferKey(CPU_0, CPU_1, 'x:0');
    const result = await worker.runGraph(runCall('s', graph, { send: [{ key: feedKey, tensor: scalar(4) }], recvKeys: [fetchKey] }));
    expect(result.recv).toEqual([{ key: fetchKey, tensor: scalar(8) }]);
  });

  it('crosses the devices of one worker', async () => {
    const seen: number[] = [];
    const [{ worker }] = workersWith({
      sink: (_, [value]) => {
        seen.push(Number(value && 'data' in value ? value.data[0] : Number.NaN));
        return value ? [value] : [];
      },
    });
    const graph = await register(worker, 's', [
      node('a', 'Placeholder', { types: { dtype: 'float' }, device: CPU_0 }),
      node('sink', 'Identity', { inputs: ['a'], device: CPU_1 }),
    ]);
    const { partitionGraphs } = await worker.runGraph(runCall('s', graph, { recordPartitionGraphs: true }));
    expect(seen).toEqual([1]);
    expect(partitionGraphs.map(({ node }) => node.map(({ op }) => op))).toEqual([
      ['Placeholder', '_Send'],
      ['_Recv', 'Identity'],
    ]);
  });

  it('gets a value from another task that has not begun the step yet', async () => {
    const [first, second] = workersWith();
    const producer = await register(first.worker, 's', [source('a'), sendNode({ name: 'send', input: 'a', from: CPU_0, to: REMOTE })]);
    const consumer = await register(second.worker, 's', [
      recvNode({ name: 'recv', from: CPU_0, to: REMOTE }),
      node('b', 'Identity', { inputs: ['recv'], device: REMOTE }),
    ]);
    const consuming = second.worker.runGraph(runCall('s', consumer));
    await new Promise(setImmediate);
    await first.worker.runGraph(runCall('s', producer));
    await consuming;
  });

  it('leaves nothing behind after its cleanup', async () => {
    const [{ worker, rendezvousMgr }] = workersWith();
    const graph = await register(worker, 's', [source('a'), sendNode({ name: 'send', input: 'a', from: CPU_0, to: REMOTE })]);
    await worker.runGraph(runCall('s', graph));
    expect(rendezvousMgr.size).toBe(1);
    await worker.cleanupGraph(1n);
    expect(rendezvousMgr.size).toBe(0);
  });

  it('has step stats when asked, one list per device', async () => {
    const [{ worker }] = workersWith();
    const graph = await register(worker, 's', [source('a')]);
    const { stepStats } = await worker.runGraph(runCall('s', graph, { recordTimeline: true }));
    expect(stepStats?.devStats.map(({ device, nodeStats }) => [device, nodeStats.map(({ nodeName }) => nodeName)])).toEqual([
      [CPU_0, ['_SOURCE', 'a']],
    ]);
    expect(await worker.runGraph(runCall('s', graph, { stepId: 2n }))).not.toHaveProperty('stepStats');
  });

  it('cannot fetch a value on a branch that was not taken', async () => {
    const [{ worker }] = workersWith({ a: () => [DEAD] });
    const graph = await register(worker, 's', [source('a'), sendNode({ name: 'send', input: 'a', from: CPU_0, to: CPU_1 })]);
    const key = transferKey(CPU_0, CPU_1);
    await expect(worker.runGraph(runCall('s', graph, { recvKeys: [key] }))).rejects.toMatchObject({
      code: Code.INTERNAL,
      message: `Failed to fetch outputs for step 1. (Original error message: The tensor returned for ${key} was not valid.)`,
    });
  });
});

describe('a failure', () => {
  it('names its node and ends what waits for it on other devices', async () => {
    const [{ worker }] = workersWith({
      bad: () => {
        throw invalidArgument('no');
      },
    });
    const graph = await register(worker, 's', [
      node('bad', 'Placeholder', { types: { dtype: 'float' }, device: CPU_0 }),
      node('waits', 'Identity', { inputs: ['bad'], device: CPU_1 }),
    ]);
    await expect(worker.runGraph(runCall('s', graph))).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'no\n\t [[{{node bad}}]]',
      derived: false,
    });
  });

  it('reaches a waiting peer as an error that only follows', async () => {
    const [first, second] = workersWith({
      bad: () => {
        throw invalidArgument('no');
      },
    });
    const producer = await register(first.worker, 's', [source('bad'), sendNode({ name: 'send', input: 'bad', from: CPU_0, to: REMOTE })]);
    const consumer = await register(second.worker, 's', [recvNode({ name: 'recv', from: CPU_0, to: REMOTE })]);
    const consuming = second.worker.runGraph(runCall('s', consumer));
    consuming.catch(() => undefined);
    await expect(first.worker.runGraph(runCall('s', producer))).rejects.toMatchObject({ derived: false });
    await expect(consuming).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      derived: true,
      message: expect.stringContaining('[_Derived_]'),
    });
  });
});

describe('cancelling', () => {
  const parked: Behaviour = {
    blocks: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };

  it('ends a blocked step with the reason', async () => {
    const [{ worker }] = workersWith(parked);
    const graph = await register(worker, 's', [source('blocks')]);
    const controller = new AbortController();
    const running = worker.runGraph(runCall('s', graph), { signal: controller.signal });
    controller.abort(cancelled('Session closed'));
    await expect(running).rejects.toMatchObject({ code: Code.CANCELLED, message: expect.stringContaining('Session closed') });
  });

  it('a RecvTensor ends the step at the sender', async () => {
    const [{ worker }] = workersWith();
    const graph = await register(worker, 's', [recvNode({ name: 'recv', from: CPU_0, to: CPU_0 })]);
    const running = worker.runGraph(runCall('s', graph));
    running.catch(() => undefined);
    const controller = new AbortController();
    const receiving = worker.recvTensor({ stepId: 1n, key: transferKey(CPU_0, REMOTE), requestId: 0n }, { signal: controller.signal });
    controller.abort(cancelled('receiver gone'));
    await expect(receiving).rejects.toMatchObject({ code: Code.CANCELLED });
    await expect(running).rejects.toMatchObject({ code: Code.ABORTED, derived: true });
  });

  it('by deleting the session ends its steps and drops their values', async () => {
    const [{ worker, rendezvousMgr }] = workersWith(parked);
    const graph = await register(worker, 's', [source('blocks')]);
    const running = worker.runGraph(runCall('s', graph));
    running.catch(() => undefined);
    await worker.deleteWorkerSession({ $typeName: 'tensorflow.DeleteWorkerSessionRequest', sessionHandle: 's' });
    await expect(running).rejects.toMatchObject({ code: Code.ABORTED });
    expect(rendezvousMgr.size).toBe(0);
  });
});

describe('a call that names what is not there', () => {
  it.each([
    { session: 'gone', graph: '1', text: `Session handle is not found: gone. Possibly this worker ("${TASK_0}") just restarted.` },
    { session: 's', graph: 'ff', text: 'Graph handle is not found: ff' },
  ])('is ABORTED: $text', async ({ session, graph, text }) => {
    const [{ worker }] = workersWith();
    await worker.createWorkerSession(sessionRequest('s'));
    await expect(worker.runGraph(runCall(session, graph))).rejects.toMatchObject({ code: Code.ABORTED, message: text });
  });

  it('is INVALID_ARGUMENT for a device of another task', async () => {
    const [{ worker }] = workersWith();
    const key = transferKey(REMOTE, CPU_0);
    await expect(worker.recvTensor({ stepId: 1n, key, requestId: 0n })).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: `Invalid rendezvous key (src): ${key} @ ${TASK_0}`,
    });
  });

  it('is ABORTED for a device instance from before a restart', async () => {
    const [{ worker }] = workersWith();
    const key = transferKey(CPU_0, REMOTE).replace('0000000000000007', '0000000000000008');
    await expect(worker.recvTensor({ stepId: 1n, key, requestId: 0n })).rejects.toMatchObject({
      code: Code.ABORTED,
      message: expect.stringContaining('RecvTensor expects a different device incarnation: 8 vs. 7.'),
    });
  });

  it('is INVALID_ARGUMENT for a node without a device', async () => {
    const [{ worker }] = workersWith();
    await expect(register(worker, 's', [node('a', 'Placeholder', { types: { dtype: 'float' }, device: '' })])).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'Missing device name in: a',
    });
  });
});

it('serves a request id once', async () => {
  const [{ worker }] = workersWith();
  const graph = await register(worker, 's', [source('a')]);
  const call = runCall('s', graph);
  await worker.runGraph(call);
  await expect(worker.runGraph(call)).rejects.toMatchObject({ code: Code.ABORTED, message: expect.stringContaining('received twice') });
});

it('drops the sessions of a master that has restarted, and of no other', async () => {
  const [{ worker }] = workersWith();
  await worker.createWorkerSession(sessionRequest('old', { masterTask: TASK_1, masterIncarnation: 1n }));
  await worker.createWorkerSession(sessionRequest('other', { masterTask: TASK_0, masterIncarnation: 5n }));
  await worker.createWorkerSession(sessionRequest('new', { masterTask: TASK_1, masterIncarnation: 2n }));
  await expect(worker.runGraph(runCall('old', '1'))).rejects.toThrow('Session handle is not found');
  await expect(worker.runGraph(runCall('other', '1'))).rejects.toThrow('Graph handle is not found');
  await expect(worker.runGraph(runCall('new', '1'))).rejects.toThrow('Graph handle is not found');
});

it('serves callers of the old protocol from one session, whatever their handles', async () => {
  const [{ worker }] = workersWith();
  await expect(worker.runGraph(runCall('any', '1', { createWorkerSessionCalled: false }))).rejects.toThrow('Graph handle is not found');
});

describe('the state of a session', () => {
  class Counter implements Resource {
    value = 0;

    dispose(): void {
      this.value = 0;
    }
  }

  /** Counts its executions in a resource of its device. */
  const counting: Behaviour = {
    count: ({ device }) => {
      const counter = device.resources.lookupOrCreate({ container: '', kind: 'Counter', name: 'c' }, () => new Counter());
      counter.value++;
      return [scalar(counter.value)];
    },
  };

  async function countsOf(isolated: boolean): Promise<number[]> {
    const [{ worker }] = workersWith(counting);
    const counts: number[] = [];
    for (const session of ['one', 'two']) {
      await worker.createWorkerSession(sessionRequest(session, { isolateSessionState: isolated }));
      const graph = await register(worker, session, [source('count'), sendNode({ name: 'send', input: 'count', from: CPU_0, to: CPU_0 })]);
      const { recv } = await worker.runGraph(runCall(session, graph, { recvKeys: [transferKey(CPU_0, CPU_0)] }));
      counts.push(Number(recv[0]?.tensor.data[0]));
    }
    return counts;
  }

  it('is shared with other sessions', async () => {
    expect(await countsOf(false)).toEqual([1, 2]);
  });

  it('is its own when the session is isolated', async () => {
    expect(await countsOf(true)).toEqual([1, 1]);
  });
});
