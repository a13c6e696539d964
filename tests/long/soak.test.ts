import { afterAll, beforeAll, expect, it } from 'vitest';
import { Graph, type Output, Session, StatusError, toNumber } from '../../main/client/index.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import type { TaskProcess } from '../support/task-process.ts';
import { expectIdle, medianResidentMb, openFiles } from './support/task-load.ts';

const STEPS = 20_000;
const SESSIONS = 1000;
/** Calls at once, so that the tasks and not the waiting for them take the time. */
const CLIENTS = 8;
const GROWTH = 1.1;

let cluster: Cluster;
let tasks: readonly TaskProcess[];
/** V8 takes tens of MB more than it needs before it collects, which would hide a leak; with this heap, a task that leaks ends. */
const env = { NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=40' };

beforeAll(async () => {
  cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled', env });
  tasks = [cluster.process('ps', 0), cluster.process('worker', 0), cluster.process('worker', 1)];
});
afterAll(() => cluster?.stop());

async function repeat(times: number, body: () => Promise<unknown>): Promise<void> {
  let left = times;
  const client = async () => {
    while (left-- > 0) await body();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Does something many times; the memory of no task may grow by a tenth between the second tenth of them and the last. */
async function soak(what: string, times: number, body: () => Promise<unknown>): Promise<void> {
  const pids = tasks.map(({ pid }) => pid);
  const tenth = times / 10;
  await repeat(tenth, body);
  const files = pids.map(openFiles);
  const begin = performance.now();
  const before = await medianResidentMb(pids, () => repeat(tenth, body));
  await repeat(7 * tenth, body);
  const after = await medianResidentMb(pids, () => repeat(tenth, body));
  const rate = (9 * tenth) / ((performance.now() - begin) / 1000);
  const growth = after.map((mb, i) => `${before[i]?.toFixed()} → ${mb.toFixed()} MB`).join(', ');
  console.log(`${times} ${what}, ${rate.toFixed()} a second: ${growth}`);
  for (const [i, mb] of after.entries()) expect(mb, growth).toBeLessThan(GROWTH * (before[i] ?? 0));
  expect(pids.map(openFiles)).toEqual(files);
}

async function withSession<T>(graph: Graph, body: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session(cluster.target('worker', 0), { graph });
  try {
    return await body(session);
  } finally {
    await session.close();
  }
}

/** worker 0 → worker 1 → ps */
function threeTasks(g: Graph): Output {
  const a = g.device('/job:worker/task:0', () => g.add(g.constant([1, 2, 3]), 1));
  const b = g.device('/job:worker/task:1', () => g.mul(a, 2));
  return g.device('/job:ps/task:0', () => g.reduceSum(b));
}

it('steps of a constant leave nothing behind', async () => {
  const graph = new Graph();
  const constant = graph.constant(7);
  await withSession(graph, (session) =>
    soak('steps of a constant', STEPS, async () => expect(toNumber(await session.run(constant))).toBe(7)),
  );
  await expectIdle(tasks);
});

it('steps over three tasks leave nothing behind', async () => {
  const graph = new Graph();
  const sum = threeTasks(graph);
  await withSession(graph, (session) =>
    soak('steps over three tasks', STEPS, async () => expect(toNumber(await session.run(sum))).toBe(18)),
  );
  await expectIdle(tasks);
});

it('sessions leave nothing behind', async () => {
  await soak('sessions', SESSIONS, () => {
    const graph = new Graph();
    const sum = threeTasks(graph);
    return withSession(graph, async (session) => expect(toNumber(await session.run(sum))).toBe(18));
  });
  await expectIdle(tasks);
});

it('steps that fail leave nothing behind', async () => {
  const graph = new Graph();
  const wrong = graph.device('/job:worker/task:1', () => graph.op('CheckNumerics', [graph.div(1, 0)], { message: 'soak' }).output());
  const sum = graph.device('/job:ps/task:0', () => graph.add(wrong, threeTasks(graph)));
  await withSession(graph, (session) =>
    soak('steps that fail', STEPS / 4, async () => {
      await expect(session.run(sum)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    }),
  );
  await expectIdle(tasks);
});

it('steps that time out in a queue leave no waiter', async () => {
  const graph = new Graph();
  const queue = graph.device('/job:ps/task:0', () => graph.fifoQueue(10, 'float', { shapes: [[]], sharedName: 'soak' }));
  const taken = graph.device('/job:worker/task:1', () => graph.add(queue.dequeue()[0] ?? 0, 1));
  const enqueue = queue.enqueue(5);
  const size = queue.size();
  await withSession(graph, async (session) => {
    await soak('steps that time out', 200, async () => {
      await expect(session.run(taken, { timeoutMs: 50 })).rejects.toMatchObject({ codeName: 'DEADLINE_EXCEEDED' });
    });
    await session.run(enqueue);
    expect(toNumber(await session.run(size))).toBe(1);
    expect(toNumber(await session.run(taken))).toBe(6);
  });
  await expectIdle(tasks);
});

it('ends with no process and no port left', async () => {
  await cluster.stop();
  for (const { pid, target } of tasks) {
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const graph = new Graph();
    const session = new Session(target, { graph, operationTimeoutMs: 300 });
    await expect(session.run(graph.constant(1))).rejects.toBeInstanceOf(StatusError);
    await session.close();
  }
});
