/**
 * One parameter server, two workers, one variable: the program that introduces distributed training.
 *
 * Teaches: between-graph replication. Each task has a client with a graph of its own; the variable lives on the ps, under the
 * same name in every graph. The ps initializes it, the workers wait for that and then add to it, each at its own pace.
 * Look at: `var` climbs while the ps reads it; worker 0 hands over the trace of one addition, which ran on the ps.
 * Right: no increment is lost. After both workers have added 1.0 five times, `var` is 10.0; with more workers more.
 */
import { defineProgram, Graph, type TaskContext, toNumber } from '../client/index.ts';
import { bystander } from './bystander.ts';
import { differences } from './check.ts';
import { fullTrace } from './trace.ts';

const WORKERS = 2;
const TIMES = 5;
/** Milliseconds between two reads, two additions, two looks. */
const PAUSE = 1000;

/** On a larger cluster all of them take part. */
function workersOf({ cluster }: TaskContext): number {
  return cluster.taskCount('worker');
}

function buildGraph(workers: number) {
  const g = new Graph();
  const [variable, finished] = g.device('/job:ps/task:0', () => [
    g.variable('var', 0),
    // A queue is shared by name too: each worker puts something in when it has finished.
    g.fifoQueue(workers, 'int32', { name: 'finished', sharedName: 'finished', shapes: [[]] }),
  ]);
  return { g, variable, finished, report: g.reportUninitializedVariables() };
}

async function parameterServer(context: TaskContext) {
  const workers = workersOf(context);
  const { g, variable, finished, report } = buildGraph(workers);
  const initialize = g.globalVariablesInitializer();
  const allFinished = finished.dequeueMany(workers);
  const session = context.session(g, 'ps', 0);

  context.log('Parameter server: waiting for cluster connection...');
  await session.run(report);
  context.log('Parameter server: cluster ready!');
  await session.run(initialize);
  context.log('Parameter server: variables initialized');

  const read = async (step: number) => {
    const value = toNumber(await session.run(variable));
    context.log(`Parameter server: var has value ${value.toFixed(1)}`);
    context.sample('var', step, value);
    return value;
  };
  for (let step = 0; step < TIMES; step++) {
    await read(step);
    await context.sleep(PAUSE);
  }
  await session.run(allFinished);
  return { finalValue: await read(TIMES) };
}

async function worker(context: TaskContext) {
  const name = `Worker ${context.index}`;
  const { g, variable, finished, report } = buildGraph(workersOf(context));
  // Of two additions at the same moment, TensorFlow may lose one unless they lock the variable.
  const addOne = variable.assignAdd(1, { useLocking: true });
  const finish = finished.enqueue(1);
  // A worker needs the ps and itself, but not the other workers.
  const deviceFilters = ['/job:ps', `/job:worker/task:${context.index}`];
  const session = context.session(g, 'worker', context.index, { config: { deviceFilters } });

  context.log(`${name}: waiting for cluster connection...`);
  while ((await session.run(report)).data.length > 0) {
    context.log(`${name}: waiting for variable initialization...`);
    await context.sleep(PAUSE);
  }
  context.log(`${name}: variables initialized`);

  for (let step = 0; step < TIMES; step++) {
    context.log(`${name}: incrementing var`);
    const { metadata } = await session.runWithMetadata(addOne, step === 0 ? fullTrace : {});
    if (context.index === 0 && step === 0) context.trace('increment', metadata);
    await context.sleep(PAUSE);
  }
  await session.run(finish);
  context.log(`${name}: finished`);
  return { additions: TIMES };
}

export default defineProgram({
  name: 'ps-workers',
  title: 'One parameter server, two workers, one variable',
  cluster: { ps: 1, worker: WORKERS },

  task(context) {
    if (context.job === 'worker') return worker(context);
    return context.job === 'ps' && context.index === 0 ? parameterServer(context) : bystander(context);
  },

  check: (outcomes) => {
    const wanted = Array.from({ length: WORKERS }, (_, index) => `/job:worker/replica:0/task:${index}`);
    const workers = new Set([...wanted, ...[...outcomes.keys()].filter((client) => client.startsWith('/job:worker/'))]);
    const additions = [...workers].map((name) => [name, { additions: TIMES }]);
    return differences(outcomes, { '/job:ps/replica:0/task:0': { finalValue: workers.size * TIMES }, ...Object.fromEntries(additions) });
  },
});
