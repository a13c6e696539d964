/**
 * In-graph and between-graph replication mixed: two groups of two workers each, and one parameter server.
 *
 * Teaches: between the groups, replication is between-graph: each has its own client and graph, and updates the parameters
 * without waiting for the other. Within a group it is in-graph: one client spreads its graph over two workers and averages.
 * Look at: the clients of workers 1 and 3 have nothing to do; workers 0 and 2 lead their groups and drive them.
 * Right: weight goes to 0.1 and bias to 0.3, after 300 updates by each group.
 */
import { defineProgram, GradientDescentOptimizer, Graph, globalStep, type Output, type TaskContext, toNumber } from '../client/index.ts';
import { bystander } from './bystander.ts';
import { differences } from './check.ts';
import { LINE, linePoints, shardOf } from './data.ts';

const GROUPS = 2;
const GROUP_SIZE = 2;
const UPDATES = 300;
/** Milliseconds between two looks. */
const PAUSE = 200;

function buildGraph() {
  const g = new Graph();
  const [weight, bias, updates, finished] = g.device('/job:ps/task:0', () => [
    g.variable('weight', 0),
    g.variable('bias', 0),
    globalStep(g),
    g.fifoQueue(GROUPS, 'int32', { sharedName: 'groups_finished', shapes: [[]] }),
  ]);
  return { g, weight, bias, updates, finished };
}

async function parameterServer(context: TaskContext) {
  const { g, weight, bias, updates, finished } = buildGraph();
  const [initialize, allFinished] = [g.globalVariablesInitializer(), finished.dequeueMany(GROUPS)];
  const session = context.session(g, 'ps', 0);
  await session.run(initialize);
  await session.run(allFinished);
  const [w, b, count] = await session.run([weight, bias, updates]);
  context.log(`weight ${toNumber(w)} bias ${toNumber(b)} after ${toNumber(count)} updates`);
  return { weight: toNumber(w), bias: toNumber(b), updates: toNumber(count) };
}

async function leader(context: TaskContext) {
  const { g, weight, bias, updates, finished } = buildGraph();
  const points = linePoints(100);
  const losses: Output[] = [];
  for (let worker = context.index; worker < context.index + GROUP_SIZE; worker++) {
    const { x, y } = shardOf(points, worker, GROUPS * GROUP_SIZE);
    g.device(`/job:worker/task:${worker}`, () => losses.push(g.reduceMean(g.square(g.sub(g.add(g.mul(weight, x), bias), y)))));
  }
  const optimizer = new GradientDescentOptimizer(0.3, { useLocking: true });
  const [loss, train] = g.device(`/job:worker/task:${context.index}`, () => {
    const mean = g.div(g.addN(losses), GROUP_SIZE);
    return [mean, optimizer.minimize(mean, { colocate: true, globalStep: updates })];
  });
  const [finish, report] = [finished.enqueue(1), g.reportUninitializedVariables()];

  const session = context.session(g, 'worker', context.index);
  while ((await session.run(report)).data.length > 0) await context.sleep(PAUSE);
  for (let update = 0; update < UPDATES; update++) {
    const [, value] = await session.run([train, loss]);
    if (update % 20 === 0) context.sample('loss', update, toNumber(value));
  }
  await session.run(finish);
  return { updates: UPDATES };
}

export default defineProgram({
  name: 'mixed-replication',
  title: 'Between-graph between two groups, in-graph within each',
  cluster: { ps: 1, worker: GROUPS * GROUP_SIZE },

  async task(context) {
    if (context.job === 'ps' && context.index === 0) return parameterServer(context);
    if (context.job !== 'worker' || context.index >= GROUPS * GROUP_SIZE) return bystander(context);
    if (context.index % GROUP_SIZE === 0) return leader(context);
    context.log(`The client of worker ${context.index - (context.index % GROUP_SIZE)} drives this task`);
    return {};
  },

  check: (outcomes) => [
    ...differences(outcomes, { '/job:ps/replica:0/task:0': LINE }, 1e-3),
    ...differences(outcomes, { '/job:ps/replica:0/task:0': { updates: GROUPS * UPDATES } }),
  ],
});
