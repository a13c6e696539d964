/**
 * Four machines with a card each: A, B and C work, D keeps the parameters.
 *
 * Teaches: the ClusterSpec gives every machine a job and an index; each runs the same code, with its own place in the cluster.
 * `replicaDeviceSetter` pins variables to the ps and everything else to the worker itself.
 * Look at: the trace of worker A. What it adds is made on A, and the addition happens on D, where `total` is.
 * Right: A adds 1, B adds 10 and C adds 100, each three times: `total` is 333.
 */
import { defineProgram, Graph, replicaDeviceSetter, type TaskContext, toNumber } from '../client/index.ts';
import { bystander } from './bystander.ts';
import { differences } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const WORKERS = ['A', 'B', 'C'] as const;
/** Which machine a task is, by job and index. */
const MACHINES: Readonly<Record<string, readonly string[]>> = { worker: WORKERS, ps: ['D'] };
const TIMES = 3;
/** Milliseconds between two looks. */
const PAUSE = 200;

async function program(context: TaskContext) {
  const { cluster, job, index } = context;
  const machine = MACHINES[job]?.[index];
  if (machine === undefined) return bystander(context);
  context.log(`machine ${machine} is /job:${job}/task:${index} at ${cluster.address(job, index)}`);

  const g = new Graph();
  const [total, addition] = g.device(replicaDeviceSetter({ cluster, workerDevice: `/job:worker/task:${index}` }), () => [
    g.variable('total', 0),
    g.constant(10 ** index, { name: 'share' }),
  ]);
  const finished = g.device('/job:ps/task:0', () => g.fifoQueue(WORKERS.length, 'int32', { sharedName: 'abc_finished', shapes: [[]] }));
  const session = context.session(g, job, index);

  if (job === 'ps') {
    const [initialize, allFinished] = [g.globalVariablesInitializer(), finished.dequeueMany(WORKERS.length)];
    await session.run(initialize);
    await session.run(allFinished);
    const value = toNumber(await session.run(total));
    context.log(`total is ${value}`);
    return { total: value };
  }

  // Of two additions at the same moment, TensorFlow may lose one unless they lock the variable.
  const [add, finish, report] = [total.assignAdd(addition, { useLocking: true }), finished.enqueue(1), g.reportUninitializedVariables()];
  while ((await session.run(report)).data.length > 0) await context.sleep(PAUSE);
  for (let time = 0; time < TIMES; time++) {
    const value = toNumber(await session.run(add));
    context.log(`machine ${machine}: total is ${value}`);
    context.sample('total', time, value);
  }
  const { metadata } = await session.runWithMetadata(addition, fullTrace);
  context.trace(`machine ${machine}`, metadata);
  await session.run(finish);
  return { madeOn: deviceOf(metadata, 'share') };
}

export default defineProgram({
  name: 'abc-workers-d-ps',
  title: 'Machines A, B and C work, D keeps the parameters',
  cluster: { worker: WORKERS.length, ps: 1 },
  task: program,

  check: (outcomes) => {
    const names = WORKERS.map((_, index) => `/job:worker/replica:0/task:${index}`);
    return differences(outcomes, {
      '/job:ps/replica:0/task:0': { total: 333 },
      ...Object.fromEntries(names.map((name) => [name, { madeOn: name }])),
    });
  },
});
