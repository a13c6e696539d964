/**
 * The same regression, its graph spread over four tasks: two that hold parameters (canshu) and two that work (gongzuo).
 *
 * Teaches: in-graph replication. One client, one graph; `g.device` says which task runs which node, and the master sends each
 * task its part. Master and workers are started alike: what each does is written in the graph alone.
 * Look at: the trace of a step. Every task appears with the nodes that were pinned to it; the updates run where the variables are.
 * Right: weight goes to 0.1 and bias to 0.3, and all four tasks take part in a step.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences } from './check.ts';
import { LINE, linePoints } from './data.ts';
import { fullTrace, nodesByDevice } from './trace.ts';

const TASKS = ['/job:canshu/task:0', '/job:canshu/task:1', '/job:gongzuo/task:0', '/job:gongzuo/task:1'] as const;

export default defineProgram({
  name: 'in-graph-regression',
  title: 'One graph spread over four tasks',
  cluster: { canshu: 2, gongzuo: 2 },

  async run(context) {
    const { x, y } = linePoints(100);

    const g = new Graph();
    g.setRandomSeed(1);
    const weight = g.device(TASKS[0], () => g.variable('weight', g.randomUniform([1], { min: -1, max: 1 })));
    const bias = g.device(TASKS[1], () => g.variable('bias', g.zeros([1])));
    const loss = g.device(TASKS[2], () => {
      const prediction = g.add(g.mul(weight, x), bias);
      return g.reduceMean(g.square(g.sub(prediction, y)));
    });
    const [train, initialize] = g.device(TASKS[3], () => {
      const optimizer = new GradientDescentOptimizer(0.5);
      return [optimizer.minimize(loss), g.globalVariablesInitializer()];
    });

    const session = context.session(g, 'canshu', 0);
    await session.run(initialize);
    for (let step = 0; step < 1000; step++) {
      await session.run(train);
      if (step % 20 > 0) continue;
      const [w, b] = await session.run([weight, bias]);
      context.sample('weight', step, toNumber(w));
      context.sample('bias', step, toNumber(b));
      context.log(`${step} weight ${toNumber(w)} bias ${toNumber(b)}`);
    }

    const { metadata } = await session.runWithMetadata(train, fullTrace);
    context.trace('train', metadata);
    const devices = [...nodesByDevice(metadata).keys()];
    const [w, b] = await session.run([weight, bias]);
    return { weight: toNumber(w), bias: toNumber(b), devices };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: LINE }, 1e-4),
    ...differences(outcomes, {
      [ONLY_CLIENT]: { devices: TASKS.map((task) => task.replace('/task', '/replica:0/task')) },
    }),
  ],
});
