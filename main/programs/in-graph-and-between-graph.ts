/**
 * The same training, in-graph and between-graph.
 *
 * In-graph: one graph for all workers. The data lies on one task, which hands it out to the workers in every step.
 * Between-graph: a graph, a session and a part of the data for each worker; only parameters and gradients cross the network.
 *
 * Teaches: why between-graph is preferred for large data. (Here one client plays all workers; in `ps-workers` each has its own.)
 * Look at: the bytes that cross in one step of each form. They are logged, and are to be seen in the traces.
 * Right: both find weight 0.1 and bias 0.3; in-graph the 8 000 bytes of the data cross and a few more, between-graph only the few.
 */
import {
  defineProgram,
  GradientDescentOptimizer,
  Graph,
  ONLY_CLIENT,
  type ProgramContext,
  type TensorInput,
  toNumber,
  type Variable,
} from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { LINE, linePoints, shardOf } from './data.ts';
import { fullTrace, totalBytes, transfers } from './trace.ts';

const STEPS = 400;
const points = linePoints(1000);
const optimizer = () => new GradientDescentOptimizer(0.3);

/** The parameters, on the ps; the same in every graph. */
function makeParameters(g: Graph) {
  return g.device('/job:ps/task:0', () => [g.variable('weight', 0), g.variable('bias', 0)] as const);
}

function lossOn(g: Graph, x: TensorInput, y: TensorInput, [weight, bias]: readonly [Variable, Variable]) {
  return g.reduceMean(g.square(g.sub(g.add(g.mul(weight, x), bias), y)));
}

async function inGraph(context: ProgramContext) {
  const g = new Graph();
  const parameters = makeParameters(g);
  const [x, y] = g.device('/job:ps/task:0', () => [
    g.split(g.variable('x', points.x, { trainable: false }), 2),
    g.split(g.variable('y', points.y, { trainable: false }), 2),
  ]);
  const losses = [0, 1].map((index) => g.device(`/job:worker/task:${index}`, () => lossOn(g, x[index] ?? 0, y[index] ?? 0, parameters)));
  // `colocate`: the gradient of each loss is computed by the worker that has the loss.
  const train = g.device('/job:ps/task:0', () => optimizer().minimize(g.div(g.addN(losses), 2), { colocate: true }));

  const session = context.session(g, 'ps', 0);
  await session.run(g.globalVariablesInitializer());
  for (let step = 0; step < STEPS; step++) await session.run(train);
  const { metadata } = await session.runWithMetadata(train, fullTrace);
  context.trace('in-graph', metadata);
  const [w, b] = await session.run(parameters);
  return { weight: toNumber(w), bias: toNumber(b), bytes: totalBytes(transfers(metadata)) };
}

async function betweenGraph(context: ProgramContext) {
  const makeWorker = (index: number) => {
    const g = new Graph();
    const parameters = makeParameters(g);
    const { x, y } = shardOf(points, index, 2);
    const train = g.device(`/job:worker/task:${index}`, () => optimizer().minimize(lossOn(g, x, y, parameters)));
    return { parameters, train, initialize: g.globalVariablesInitializer(), session: context.session(g, 'worker', index) };
  };
  const workers = [makeWorker(0), makeWorker(1)] as const;
  const [chief] = workers;
  await chief.session.run(chief.initialize);
  await Promise.all(
    workers.map(async ({ session, train }) => {
      for (let step = 0; step < STEPS; step++) await session.run(train);
    }),
  );
  const traces = await Promise.all(workers.map(({ session, train }) => session.runWithMetadata(train, fullTrace)));
  for (const [index, { metadata }] of traces.entries()) context.trace(`between-graph, worker ${index}`, metadata);
  const bytes = traces.reduce((sum, { metadata }) => sum + totalBytes(transfers(metadata)), 0);
  const [w, b] = await chief.session.run(chief.parameters);
  return { weight: toNumber(w), bias: toNumber(b), bytes };
}

export default defineProgram({
  name: 'in-graph-and-between-graph',
  title: 'What crosses the network in-graph and between-graph',
  cluster: { ps: 1, worker: 2 },

  async run(context) {
    const [whole, sharded] = [await inGraph(context), await betweenGraph(context)];
    context.log(`bytes that crossed in one step of both workers: ${whole.bytes} in-graph, ${sharded.bytes} between-graph`);
    return {
      weights: [whole.weight, sharded.weight],
      biases: [whole.bias, sharded.bias],
      inGraphBytes: whole.bytes,
      betweenGraphBytes: sharded.bytes,
    };
  },

  check: (outcomes) => {
    const betweenGraphBytes = numberIn(outcomes, 'betweenGraphBytes');
    return [
      ...differences(outcomes, { [ONLY_CLIENT]: { weights: [LINE.weight, LINE.weight], biases: [LINE.bias, LINE.bias] } }, 1e-3),
      ...unmet({
        'in-graph, far more crosses': numberIn(outcomes, 'inGraphBytes') > 10 * betweenGraphBytes,
        'between-graph, only parameters and gradients cross': 0 < betweenGraphBytes && betweenGraphBytes < 100,
      }),
    ];
  },
});
