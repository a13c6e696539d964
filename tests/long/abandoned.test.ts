import { afterAll, beforeAll, expect, it } from 'vitest';
import { Graph, Session, toNumber } from '../../main/client/index.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import type { TaskProcess } from '../support/task-process.ts';
import { withSeed } from './support/random.ts';
import { severable } from './support/severable.ts';
import { residentMb, stateOf } from './support/task-load.ts';
import { outcome } from './support/trainer.ts';

const CLIENTS = 300;
const AT_ONCE = 10;
/** How long until the loss of an unplugged machine is noticed. */
const KEEPALIVE_MS = 60_000;
const BOUND_MS = 5000;

let cluster: Cluster;
let tasks: readonly TaskProcess[];
beforeAll(async () => {
  cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled' });
  tasks = [cluster.process('ps', 0), cluster.process('worker', 0), cluster.process('worker', 1)];
});
afterAll(() => cluster?.stop());

/** A client with a step that waits in a queue of the ps and one that works on all tasks. */
function busyClient(target: string) {
  const g = new Graph();
  const queue = g.device('/job:ps/task:0', () => g.fifoQueue(5, 'float', { shapes: [[]], sharedName: 'abandoned' }));
  const waiting = g.device('/job:worker/task:1', () => g.neg(queue.dequeue()[0] ?? 0));
  const product = g.device('/job:worker/task:0', () => g.matmul(g.randomUniform([200, 200]), g.ones([200, 200])));
  const sum = g.device('/job:ps/task:0', () => g.reduceSum(product));
  const session = new Session(target, { graph: g });
  return { session, waiting, sum, enqueue: queue.enqueue(3), size: queue.size() };
}

async function abandon(afterMs: number): Promise<void> {
  const way = await severable(cluster.target('worker', 0));
  const { session, waiting, sum } = busyClient(way.target);
  const calls = [session.run(waiting), session.run(sum)].map(outcome);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  way.sever();
  // Whatever the client makes of it: it is dead, but for this process to go on its calls must end.
  await Promise.all([...calls, outcome(session.close({ timeoutMs: 100 }))]);
  await way.close();
}

/** Nothing goes on for anybody; sessions may be there for clients that come back. */
async function expectQuiet(timeout: number): Promise<void> {
  for (const task of tasks) await expect.poll(() => stateOf(task), { timeout }).toMatchObject({ calls: 0, steps: 0 });
}

/** Nobody takes what a client puts in: all who waited before are gone. */
async function expectNoWaiter(): Promise<void> {
  const { session, enqueue, size, waiting } = busyClient(cluster.target('worker', 0));
  await session.run(enqueue);
  expect(toNumber(await session.run(size))).toBe(1);
  expect(toNumber(await session.run(waiting))).toBe(-3);
  await session.close();
}

it('clients that are killed in the middle of steps leave no call and no step behind', () =>
  withSeed(async (random) => {
    await abandon(200);
    const before = tasks.map(({ pid }) => residentMb(pid));
    let left = CLIENTS;
    const slot = async () => {
      while (left-- > 0) await abandon(random.below(300));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, slot));
    await expectQuiet(BOUND_MS);
    await expectNoWaiter();
    const state = await stateOf(cluster.process('worker', 0));
    const memory = tasks.map(({ pid }, i) => `${before[i]?.toFixed()} → ${residentMb(pid).toFixed()} MB`).join(', ');
    console.log(`${CLIENTS} clients killed: ${state['master sessions']} sessions wait for them to come back; ${memory}`);
  }));

it('a client whose machine is unplugged is given up', async () => {
  const way = await severable(cluster.target('worker', 0));
  const { session, waiting } = busyClient(way.target);
  const call = outcome(session.run(waiting));
  await expect.poll(() => stateOf(cluster.process('ps', 0)), { timeout: BOUND_MS }).toMatchObject({ steps: 1 });
  way.unplug();
  const begin = performance.now();
  await expectQuiet(KEEPALIVE_MS + BOUND_MS);
  console.log(`no call of an unplugged client was left after ${((performance.now() - begin) / 1000).toFixed()} s`);
  await expectNoWaiter();
  await way.close();
  await call;
  await outcome(session.close({ timeoutMs: 100 }));
});
