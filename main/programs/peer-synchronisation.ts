/**
 * Decentralised synchronisation: no parameter server. Each worker trains a copy of the model on its own part of the data;
 * after each step the workers average their copies among themselves.
 *
 * Teaches: what a parameter server does can be done by the workers, so that no task is a bottleneck. Each worker computes the
 * mean of all copies itself, and every copy is read before the first is written.
 * Look at: the bytes that each worker carries in a traced average. Compare with `ps-synchronisation`.
 * Right: weight goes to 0.1 and bias to 0.3, all copies are equal, and no worker carries more than its share: it sends its two
 * numbers to two others and receives theirs, 32 bytes.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber, type Variable } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { LINE, linePoints, shardOf } from './data.ts';
import { fullTrace, totalBytes, transfers } from './trace.ts';

const WORKERS = 3;
const STEPS = 400;
/** Bytes of two floats, sent to and received from every other worker. */
const SHARE = 2 * 4 * 2 * (WORKERS - 1);

export default defineProgram({
  name: 'peer-synchronisation',
  title: 'Workers average among themselves, without a ps',
  cluster: { worker: WORKERS },

  async run(context) {
    const points = linePoints(90);

    const g = new Graph();
    const workers = [0, 1, 2].map((index) =>
      g.device(`/job:worker/task:${index}`, () => {
        const { x, y } = shardOf(points, index, WORKERS);
        const [w, b] = [g.variable(`weight_${index}`, 0), g.variable(`bias_${index}`, 0)];
        const loss = g.reduceMean(g.square(g.sub(g.add(g.mul(w, x), b), y)));
        return { w, b, train: new GradientDescentOptimizer(0.5).minimize(loss, { variables: [w, b] }) };
      }),
    );
    const mean = (copies: readonly Variable[], at: Variable) =>
      g.device(at.device, () => ({ copy: at, value: g.div(g.addN(copies), WORKERS) }));
    const [weights, biases] = [workers.map(({ w }) => w), workers.map(({ b }) => b)];
    const means = [...weights.map((at) => mean(weights, at)), ...biases.map((at) => mean(biases, at))];
    const average = g.controlDependencies(
      means.map(({ value }) => value),
      () => g.group(means.map(({ copy, value }) => copy.assign(value))),
    );

    const session = context.session(g, 'worker', 0);
    await session.run(g.globalVariablesInitializer());
    for (let step = 0; step < STEPS; step++) {
      await session.run(workers.map(({ train }) => train));
      await session.run(average);
      if (step % 20 > 0) continue;
      for (const [worker, weight] of (await session.run(weights)).entries())
        context.sample(`weight of worker ${worker}`, step, toNumber(weight));
    }

    const { metadata } = await session.runWithMetadata(average, fullTrace);
    context.trace('average', metadata);
    const crossed = transfers(metadata);
    const bytes = [0, 1, 2].map((index) => totalBytes(crossed.filter(({ from, to }) => `${from} ${to}`.includes(`/task:${index}/`))));
    context.log(`bytes sent and received in one average, by worker: ${bytes.join(', ')}`);
    const copies = await session.run({ weights, biases });
    const [[w = 0, ...otherWeights], [b = 0, ...otherBiases]] = [copies.weights.map(toNumber), copies.biases.map(toNumber)];
    const gaps = [...otherWeights.map((each) => Math.abs(each - w)), ...otherBiases.map((each) => Math.abs(each - b))];
    return { weight: w, bias: b, largestGap: Math.max(...gaps), mostBytes: Math.max(...bytes), fewestBytes: Math.min(...bytes) };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: LINE }, 1e-4),
    ...differences(outcomes, { [ONLY_CLIENT]: { largestGap: 0 } }),
    ...unmet({
      'every worker takes part': numberIn(outcomes, 'fewestBytes') > 0,
      'no worker carries more than its share': numberIn(outcomes, 'mostBytes') <= SHARE,
    }),
  ],
});
