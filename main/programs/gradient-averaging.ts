/**
 * Data parallelism over two cards by averaging gradients.
 *
 * Teaches: each card computes the gradients of its own batch; they all go to the CPU, which averages them and updates the
 * parameters once. For batches of equal size this is exactly a step on all the data.
 * Look at: `gap` in the samples, the largest difference between the averaged gradient and that of the whole data: only rounding.
 * Right: weight goes to 0.1 and bias to 0.3; the gap stays below 0.000001.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { LINE, linePoints, type Points, shardOf } from './data.ts';

const CARDS = 2;
const STEPS = 500;

export default defineProgram({
  name: 'gradient-averaging',
  title: 'Cards compute gradients, the CPU averages them',
  cluster: { local: 1 },
  virtualGpus: CARDS,

  async run(context) {
    const points = linePoints(100);

    const g = new Graph();
    const parameters = g.device('/cpu:0', () => [g.variable('weight', 0), g.variable('bias', 0)] as const);
    const [weight, bias] = parameters;
    const gradientsOn = ({ x, y }: Points) => {
      const loss = g.reduceMean(g.square(g.sub(g.add(g.mul(weight, x), bias), y)));
      return g.gradients(loss, parameters).flatMap((gradient) => gradient ?? []);
    };

    const cards = Array.from({ length: CARDS }, (_, card) => g.device(`/gpu:${card}`, () => gradientsOn(shardOf(points, card, CARDS))));
    const { train, gap } = g.device('/cpu:0', () => {
      const averages = parameters.map((_, i) => g.div(g.addN(cards.flatMap((gradients) => gradients[i] ?? [])), CARDS));
      const pairs = parameters.map((variable, i) => ({ variable, gradient: averages[i] }));
      const gaps = g.abs(g.sub(g.stack(averages), g.stack(gradientsOn(points))));
      return { train: new GradientDescentOptimizer(0.5).applyGradients(pairs), gap: g.reduceMax(gaps) };
    });

    const session = context.session(g, 'local', 0);
    await session.run(g.globalVariablesInitializer());
    let largestGap = 0;
    for (let step = 0; step < STEPS; step++) {
      const [, seen] = await session.run([train, gap]);
      largestGap = Math.max(largestGap, toNumber(seen));
      if (step % 20 === 0) context.sample('gap', step, toNumber(seen));
    }

    const [w, b] = await session.run([weight, bias]);
    context.log(`weight ${toNumber(w)} bias ${toNumber(b)}; averaged and whole gradient differ by at most ${largestGap}`);
    return { weight: toNumber(w), bias: toNumber(b), largestGap };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: LINE }, 1e-4),
    ...unmet({ 'averaged and whole gradient are the same': numberIn(outcomes, 'largestGap') < 1e-6 }),
  ],
});
