/**
 * Model parallelism: one network, its parts on three workers. Each half of the hidden layer has a worker of its own, the
 * output layer has a third.
 *
 * Teaches: a model that is too large for one machine can be cut. Parts beside each other (the halves) run at the same time;
 * a layer must wait for the one before it, so cutting a model into layers alone makes it no faster.
 * Look at: the trace of a step. `left` and `right` run side by side, `output` after both; the gradients come back the same way.
 * Right: the network learns y = x² between -1 and 1, and its loss falls below 0.001.
 */
import { AdamOptimizer, defineProgram, Graph, initializers, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const STEPS = 400;
const UNITS = 4;
const xs = Array.from({ length: 41 }, (_, i) => [i / 20 - 1]);
const ys = xs.map((row) => row.map((x) => x * x));

export default defineProgram({
  name: 'model-parallel',
  title: 'One network, its parts on three workers',
  cluster: { worker: 3 },

  async run(context) {
    const g = new Graph();
    g.setRandomSeed(3);
    const random = initializers.randomNormal();
    const half = (name: string, task: number) =>
      g.device(`/job:worker/task:${task}`, () => {
        const weights = g.variable(`${name}_weights`, random, { shape: [1, UNITS] });
        const bias = g.variable(`${name}_bias`, random, { shape: [UNITS] });
        return g.tanh(g.biasAdd(g.matmul(xs, weights), bias), { name });
      });
    const [left, right] = [half('left', 0), half('right', 1)];
    const [loss, train] = g.device('/job:worker/task:2', () => {
      const weights = g.variable('output_weights', random, { shape: [2 * UNITS, 1] });
      const output = g.matmul(g.concat([left, right], 1), weights, { name: 'output' });
      const error = g.reduceMean(g.square(g.sub(output, ys)));
      // `colocate`: the gradient of each part is computed where the part is.
      return [error, new AdamOptimizer({ learningRate: 0.03 }).minimize(error, { colocate: true })];
    });

    const session = context.session(g, 'worker', 0);
    await session.run(g.globalVariablesInitializer());
    for (let step = 0; step < STEPS; step++) {
      const [, value] = await session.run([train, loss]);
      if (step % 20 > 0) continue;
      context.sample('loss', step, toNumber(value));
      context.log(`${step} loss ${toNumber(value)}`);
    }

    const { value, metadata } = await session.runWithMetadata([loss, train], fullTrace);
    context.trace('train', metadata);
    return { loss: toNumber(value[0]), parts: ['left', 'right', 'output'].map((node) => deviceOf(metadata, node)) };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: { parts: [0, 1, 2].map((task) => `/job:worker/replica:0/task:${task}`) } }),
    ...unmet({ 'the loss falls below 0.001': numberIn(outcomes, 'loss') < 0.001 }),
  ],
});
