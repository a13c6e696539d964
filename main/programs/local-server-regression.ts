/**
 * Fits a line through 100 points on one server that is master and worker at once.
 *
 * Teaches: variables, a loss, an optimizer, an initializer, and the loop that runs the training node again and again.
 * Look at: the client sends the graph once; each step only asks for `train`.
 * Right: the points lie on y = 0.1 x + 0.3, so weight goes to 0.1 and bias to 0.3.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences } from './check.ts';
import { LINE, linePoints } from './data.ts';

export default defineProgram({
  name: 'local-server-regression',
  title: 'Linear regression on one server',
  cluster: { local: 1 },

  async run(context) {
    const { x, y } = linePoints(100);

    const g = new Graph();
    g.setRandomSeed(1);
    const weight = g.variable('weight', g.randomUniform([1], { min: -1, max: 1 }));
    const bias = g.variable('bias', g.zeros([1]));
    const prediction = g.add(g.mul(weight, x), bias);
    const loss = g.reduceMean(g.square(g.sub(prediction, y)));
    const train = new GradientDescentOptimizer(0.5).minimize(loss);

    const session = context.session(g, 'local', 0);
    await session.run(g.globalVariablesInitializer());
    for (let step = 0; step < 1000; step++) {
      await session.run(train);
      if (step % 20 > 0) continue;
      const [w, b] = await session.run([weight, bias]);
      context.sample('weight', step, toNumber(w));
      context.sample('bias', step, toNumber(b));
      context.log(`${step} weight ${toNumber(w)} bias ${toNumber(b)}`);
    }

    const [w, b] = await session.run([weight, bias]);
    return { weight: toNumber(w), bias: toNumber(b) };
  },

  check: (outcomes) => differences(outcomes, { [ONLY_CLIENT]: LINE }, 1e-4),
});
