/**
 * Data parallelism by averaging parameters, in the five steps that textbooks give:
 * (1) the parameters start from one configuration, (2) each worker gets a copy, (3) each worker trains its copy on its own
 * part of the data, (4) the mean of the copies becomes the new parameters, (5) while there is data left, again from (2).
 *
 * Teaches: between two averages the workers exchange nothing, so little crosses the network; meanwhile the copies drift apart.
 * Look at: `drift` in the samples, the distance of the copies before each average. It shrinks as all come to agree.
 * Right: weight goes to 0.1 and bias to 0.3, and the drift to almost nothing.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { LINE, linePoints, shardOf } from './data.ts';

const WORKERS = 2;
const ROUNDS = 60;
const LOCAL_STEPS = 10;

export default defineProgram({
  name: 'parameter-averaging',
  title: 'Workers train copies, whose mean becomes the model',
  cluster: { ps: 1, worker: WORKERS },

  async run(context) {
    const { x, y } = linePoints(100);
    // Smallest first: each worker sees another end of the line.
    const points = { x: x.toSorted(), y: y.toSorted() };

    const g = new Graph();
    const [weight, bias] = g.device('/job:ps/task:0', () => [g.variable('weight', 0), g.variable('bias', 0)]);
    const workers = Array.from({ length: WORKERS }, (_, index) =>
      g.device(`/job:worker/task:${index}`, () => {
        const { x, y } = shardOf(points, index, WORKERS);
        const [w, b] = [g.variable(`weight_${index}`, 0), g.variable(`bias_${index}`, 0)];
        const loss = g.reduceMean(g.square(g.sub(g.add(g.mul(w, x), b), y)));
        const train = new GradientDescentOptimizer(0.5).minimize(loss, { variables: [w, b] });
        return { w, b, train, copy: g.group([w.assign(weight), b.assign(bias)]) };
      }),
    );
    const { average, drift } = g.device('/job:ps/task:0', () => {
      const mean = (copies: (typeof weight)[]) => g.div(g.addN(copies), WORKERS);
      const [w, b] = [workers.map((worker) => worker.w), workers.map((worker) => worker.b)];
      const copies = g.stack(w);
      return { average: g.group([weight.assign(mean(w)), bias.assign(mean(b))]), drift: g.sub(g.reduceMax(copies), g.reduceMin(copies)) };
    });

    const session = context.session(g, 'ps', 0);
    await session.run(g.globalVariablesInitializer()); // (1)
    const drifts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await session.run(workers.map(({ copy }) => copy)); // (2)
      for (let step = 0; step < LOCAL_STEPS; step++) await session.run(workers.map(({ train }) => train)); // (3)
      drifts.push(toNumber(await session.run(drift)));
      context.sample('drift', round, drifts.at(-1) ?? 0);
      await session.run(average); // (4), and (5): again
    }

    const [w, b] = await session.run([weight, bias]);
    context.log(`weight ${toNumber(w)} bias ${toNumber(b)}; the copies differed by ${drifts[0]} at first, by ${drifts.at(-1)} at last`);
    return { weight: toNumber(w), bias: toNumber(b), firstDrift: drifts[0] ?? 0, lastDrift: drifts.at(-1) ?? 0 };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: LINE }, 1e-3),
    ...unmet({ 'the copies drift apart, and less and less so': numberIn(outcomes, 'lastDrift') < 0.01 * numberIn(outcomes, 'firstDrift') }),
  ],
});
