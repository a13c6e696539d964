import { describe, expect, it } from 'vitest';
import { aborted, Code, cancelled } from '#proto/wire/status.ts';
import { makeTensor } from '#proto/wire/tensor.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { RendezvousMgr } from '../../../../task-server/worker/rendezvous-mgr.ts';
import { TransferLog } from '../../../../task-server/worker/transfer-log.ts';
import { TransferRoutes } from '../../../../task-server/worker/transfer-routes.ts';
import type { CallOptions, RecvTensorCall, RecvTensorResult } from '../../../../task-server/worker/worker-interface.ts';
import { testDevice } from '../engine/engine-kit.ts';

const OWN = '/job:w/replica:0/task:0';
const PEER = '/job:w/replica:0/task:1';
const OWN_KEY = `${OWN}/device:CPU:0;0000000000000001;${PEER}/device:CPU:0;edge_1_a;0:0`;
const PEER_KEY = `${PEER}/device:CPU:0;0000000000000002;${OWN}/device:CPU:0;edge_2_b;0:0`;
const value = { tensor: makeTensor('float', [], new Float32Array([5])), isDead: false };
const owner = {};

type RecvTensor = (call: RecvTensorCall, options?: CallOptions) => Promise<RecvTensorResult>;

function managerWithPeer(recvTensor: RecvTensor = () => Promise.reject(new Error('no peer expected'))) {
  const transferLog = new TransferLog();
  const routes = new TransferRoutes(OWN, [{ ...testDevice(new KernelRegistry([]), `${OWN}/device:CPU:0`), incarnation: 1n }]);
  const pushTensor = () => Promise.reject(new Error('no push expected'));
  const mgr = new RendezvousMgr({
    task: OWN,
    transferLog,
    routes,
    peers: (task) => (task === PEER ? { recvTensor, pushTensor } : undefined),
    every: () => () => undefined,
  });
  return { mgr, transferLog };
}

describe('values that peers ask for', () => {
  it('waits when the peer comes before the step', async () => {
    const { mgr } = managerWithPeer();
    const received = mgr.recvLocal(1n, OWN_KEY);
    mgr.open(1n, owner).send(OWN_KEY, value);
    expect(await received).toBe(value);
  });

  it('keeps nothing of a step that never came once the peer gives up', async () => {
    const { mgr } = managerWithPeer();
    const controller = new AbortController();
    const received = mgr.recvLocal(1n, OWN_KEY, controller.signal);
    expect(mgr.size).toBe(1);
    controller.abort(cancelled('gone'));
    await expect(received).rejects.toMatchObject({ code: Code.CANCELLED });
    expect(mgr.size).toBe(0);
  });

  it('ends waiting peers at cleanup with ABORTED', async () => {
    const { mgr } = managerWithPeer();
    mgr.open(1n, owner);
    const received = mgr.recvLocal(1n, OWN_KEY);
    mgr.cleanup(1n);
    await expect(received).rejects.toMatchObject({ code: Code.ABORTED, message: 'Cleanup 1', derived: true });
    expect(mgr.size).toBe(0);
  });

  it('gives peers the error of a step that failed here', async () => {
    const { mgr } = managerWithPeer();
    const received = mgr.recvLocal(1n, OWN_KEY);
    mgr.open(1n, owner);
    mgr.abort(1n, aborted('boom'));
    await expect(received).rejects.toThrow('boom');
    await expect(mgr.recvLocal(1n, OWN_KEY)).rejects.toThrow('boom');
  });

  it('drops all steps of an owner that is gone, and only those', () => {
    const { mgr } = managerWithPeer();
    mgr.open(1n, owner).send(OWN_KEY, value);
    mgr.open(2n, owner);
    mgr.open(3n, {});
    mgr.cleanupOwner(owner);
    expect(mgr.size).toBe(1);
  });
});

describe('values of other tasks', () => {
  it('are fetched from the task that the key names, with a request id of their own', async () => {
    const calls: RecvTensorCall[] = [];
    const { mgr } = managerWithPeer(async (call) => {
      calls.push(call);
      return { ...value, sendStartMicros: 0n };
    });
    const received = await mgr.open(9n, owner).recv(PEER_KEY);
    expect(received).toMatchObject(value);
    expect(calls).toMatchObject([{ stepId: 9n, key: PEER_KEY }]);
    expect(calls[0]?.requestId).not.toBe(0n);
  });

  it('are no longer fetched when the step ends', async () => {
    const { mgr } = managerWithPeer(
      (_, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason));
        }),
    );
    const received = mgr.open(1n, owner).recv(PEER_KEY);
    mgr.cleanup(1n);
    await expect(received).rejects.toThrow('Cleanup 1');
  });

  it('of a task outside the cluster are INTERNAL', async () => {
    const { mgr } = managerWithPeer();
    const key = PEER_KEY.replaceAll('/task:1', '/task:7');
    await expect(mgr.open(1n, owner).recv(key)).rejects.toMatchObject({
      code: Code.INTERNAL,
      message: 'No worker known as /job:w/replica:0/task:7',
    });
  });

  it('leave entries in the log of transfers only while it is on', async () => {
    const { mgr, transferLog } = managerWithPeer(async () => ({ ...value, sendStartMicros: 0n }));
    await mgr.open(1n, owner).recv(PEER_KEY);
    transferLog.serve({
      $typeName: 'tensorflow.LoggingRequest',
      enableRpcLogging: true,
      disableRpcLogging: false,
      clear: false,
      fetchStepId: [],
    });
    await mgr.open(2n, owner).recv(PEER_KEY);
    const { step } = transferLog.serve({
      $typeName: 'tensorflow.LoggingRequest',
      enableRpcLogging: false,
      disableRpcLogging: true,
      clear: false,
      fetchStepId: [1n, 2n],
    });
    expect(step.map(({ stepId }) => stepId)).toEqual([2n]);
    expect(step[0]?.stepStats?.devStats.map(({ device }) => device)).toEqual([`${OWN}/device:CPU:0`]);
  });
});
