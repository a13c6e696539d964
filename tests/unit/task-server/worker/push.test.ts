import { describe, expect, it } from 'vitest';
import { alreadyExists, Code, invalidArgument, unavailable } from '#proto/wire/status.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { RendezvousMgr } from '../../../../task-server/worker/rendezvous-mgr.ts';
import type { PeerWorkers } from '../../../../task-server/worker/rendezvous-remote.ts';
import { StepTransfers, TransferLog } from '../../../../task-server/worker/transfer-log.ts';
import { TransferRoutes } from '../../../../task-server/worker/transfer-routes.ts';
import type { PushTensorCall, RecvTensorResult } from '../../../../task-server/worker/worker-interface.ts';
import { testDevice } from '../engine/engine-kit.ts';
import { cpu, TASK_0, TASK_1, transferKey } from './worker-kit.ts';

const OWN_KEY = transferKey(cpu(TASK_0), cpu(TASK_1));
const PEER_KEY = transferKey(cpu(TASK_1), cpu(TASK_0));
const owner = {};
const scalar = (value: number): Tensor => makeTensor('float', [], Float32Array.of(value));
const value = (each: number) => ({ tensor: scalar(each), isDead: false });
const arrival = (each: number) => ({ ...value(each), sendStartMicros: 5n, requestedMicros: 0n, repliedMicros: 9n });

type Peer = NonNullable<ReturnType<PeerWorkers>>;

/** Task 0, with task 1 as its peer. `tick` is what happens every second. */
function manager(peer: Partial<Peer> = {}) {
  const pushed: PushTensorCall[] = [];
  let tick = (): void => expect.unreachable('nobody asked to be called');
  const workers: Peer = {
    recvTensor: () => Promise.reject(new Error('nothing was to be asked for')),
    pushTensor: async (call) => void pushed.push(call),
    ...peer,
  };
  const mgr = new RendezvousMgr({
    task: TASK_0,
    peers: (task) => (task === TASK_1 ? workers : undefined),
    routes: new TransferRoutes(TASK_0, [testDevice(new KernelRegistry([]), cpu(TASK_0))]),
    transferLog: new TransferLog(),
    every: (_, callback) => {
      tick = callback;
      return () => undefined;
    },
  });
  return { mgr, pushed, tick: () => tick() };
}

describe('what a step sends', () => {
  it('goes to the task that receives it, at once', () => {
    const { mgr, pushed } = manager();
    mgr.open(1n, owner, true).send(OWN_KEY, value(3));
    expect(pushed).toMatchObject([{ stepId: 1n, key: OWN_KEY, ...value(3) }]);
  });

  it('stays here when it is for this task, or the step does not push', async () => {
    const { mgr, pushed } = manager();
    const local = transferKey(cpu(TASK_0), cpu(TASK_0));
    const rendezvous = mgr.open(1n, owner, true);
    rendezvous.send(local, value(3));
    expect(await rendezvous.recv(local)).toEqual(value(3));
    mgr.open(2n, owner, false).send(OWN_KEY, value(4));
    expect(await mgr.recvLocal(2n, OWN_KEY)).toEqual(value(4));
    expect(pushed).toEqual([]);
  });

  it('goes to a peer that asked before, and is not there for one that asks later', async () => {
    const { mgr, pushed } = manager();
    const asked = mgr.recvLocal(1n, OWN_KEY);
    const rendezvous = mgr.open(1n, owner, true);
    rendezvous.send(OWN_KEY, value(3));
    expect(await asked).toEqual(value(3));
    rendezvous.send(OWN_KEY, value(4));
    expect(pushed).toMatchObject([value(4)]);
    await expect(mgr.recvLocal(1n, OWN_KEY)).rejects.toMatchObject({ code: Code.ALREADY_EXISTS });
  });

  it('from another instance of the device than the one that is there is ABORTED', () => {
    const { mgr } = manager();
    const key = OWN_KEY.replace('0000000000000007', '0000000000000008');
    expect(() => mgr.open(1n, owner, true).send(key, value(3))).toThrow(
      expect.objectContaining({ code: Code.ABORTED, message: expect.stringContaining('different device incarnation: 8 vs. 7') }),
    );
  });

  it('that cannot be pushed fails the step', async () => {
    const { mgr } = manager({ pushTensor: () => Promise.reject(unavailable('lost the connection')) });
    const rendezvous = mgr.open(1n, owner, true);
    const waiting = rendezvous.recv(PEER_KEY);
    rendezvous.send(OWN_KEY, value(3));
    await expect(waiting).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: 'lost the connection' });
  });
});

describe('what comes from other tasks', () => {
  it('is received, whether it comes before the step, before the Recv or after it', async () => {
    const { mgr } = manager();
    mgr.deliver(1n, PEER_KEY, arrival(1));
    const rendezvous = mgr.open(1n, owner, true);
    expect(rendezvous.recv(PEER_KEY)).toMatchObject(value(1));
    mgr.deliver(1n, PEER_KEY, arrival(2));
    expect(rendezvous.recv(PEER_KEY)).toMatchObject(value(2));
    const waiting = rendezvous.recv(PEER_KEY);
    mgr.deliver(1n, PEER_KEY, arrival(3));
    expect(await waiting).toMatchObject(value(3));
  });

  it('is dropped with the step, and when it comes after that', () => {
    const { mgr } = manager();
    mgr.deliver(1n, PEER_KEY, arrival(1));
    mgr.cleanup(1n);
    mgr.deliver(1n, PEER_KEY, arrival(2));
    expect(mgr.size).toBe(0);
  });

  it('counts for nothing in a step that has failed', () => {
    const { mgr } = manager();
    mgr.open(1n, owner, true).abort(invalidArgument('the cause'));
    expect(() => mgr.deliver(1n, PEER_KEY, arrival(1))).not.toThrow();
  });

  it('for steps that never come takes no more than a certain room', () => {
    const { mgr } = manager();
    for (let stepId = 1n; stepId <= 3000n; stepId++) mgr.deliver(stepId, PEER_KEY, arrival(1));
    expect(mgr.size).toBeLessThanOrEqual(1024);
    expect(mgr.open(3000n, owner, true).recv(PEER_KEY)).toMatchObject(value(1));
  });

  it('for steps that never come is dropped after a minute', () => {
    const { mgr, tick } = manager();
    mgr.deliver(1n, PEER_KEY, arrival(1));
    for (let second = 0; second < 60; second++) tick();
    expect(mgr.size).toBe(1);
    tick();
    expect(mgr.size).toBe(0);
  });

  it('is noted in a traced step when it is received', async () => {
    const { mgr } = manager();
    const rendezvous = mgr.open(1n, owner, true);
    rendezvous.transfers = new StepTransfers();
    mgr.deliver(1n, PEER_KEY, arrival(1));
    expect(rendezvous.transfers.devStats()).toEqual([]);
    await rendezvous.recv(PEER_KEY);
    expect(rendezvous.transfers.devStats()).toMatchObject([
      { device: cpu(TASK_0), nodeStats: [{ nodeName: 'RecvTensor', allStartMicros: 5n, allEndRelMicros: 4n }] },
    ]);
  });
});

describe('a value that does not come', () => {
  function missing(recvTensor: Peer['recvTensor']) {
    const asked: string[] = [];
    const made = manager({
      recvTensor: (call, options) => {
        asked.push(call.key);
        return recvTensor(call, options);
      },
    });
    const received = Promise.resolve(made.mgr.open(1n, owner, true).recv(PEER_KEY));
    received.catch(() => undefined);
    return { ...made, asked, received };
  }

  it('is asked for after a while, once', async () => {
    let answer = (_: RecvTensorResult): void => {};
    const { tick, asked, received } = missing(() => new Promise((resolve) => (answer = resolve)));
    tick();
    expect(asked).toEqual([]);
    for (let second = 0; second < 100; second++) tick();
    expect(asked).toEqual([PEER_KEY]);
    answer({ ...value(6), sendStartMicros: 1n });
    expect(await received).toMatchObject(value(6));
  });

  it('fails the step when its sender is gone', async () => {
    const { tick, received } = missing(() => Promise.reject(unavailable('failed to connect')));
    tick();
    tick();
    await expect(received).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: 'failed to connect' });
  });

  it('is waited for, but not for ever, when its sender says that it was sent', async () => {
    const { mgr, tick, received } = missing(() => Promise.reject(alreadyExists('on its way')));
    tick();
    tick();
    await new Promise((resolve) => setImmediate(resolve));
    for (let second = 0; second < 30; second++) tick();
    expect(mgr.size).toBe(1);
    for (let second = 0; second < 31; second++) tick();
    await expect(received).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining('did not arrive') });
  });
});
