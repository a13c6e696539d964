/**
 * One machine with two cards against two machines with one card each, doing the same work.
 *
 * Teaches: on one machine gradients and parameters go from card to CPU through memory; between machines they go through the
 * network. Several machines can have more cards, more memory and more disks in all, but each exchange costs more.
 * Look at: `steps per second` of both, side by side, and the bytes that cross between machines in a step.
 * Right: the same parameters come out of both. Nothing crosses on one machine; between two, the parameters go one way and a
 * gradient of the same size comes back. Which is faster, and by how much, depends on machines and network.
 */
import { defineProgram, GradientDescentOptimizer, Graph, initializers, ONLY_CLIENT, type ProgramContext } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { fullTrace, totalBytes, transfers } from './trace.ts';

const STEPS = 20;
const SIZE = 128;

/** Trains one matrix on two cards. The parameters are on the CPU of the first card's machine. */
async function measure(context: ProgramContext, title: string, machines: readonly [number, number], cards: readonly [number, number]) {
  const home = `/job:machine/task:${machines[0]}`;
  const g = new Graph();
  g.setRandomSeed(1);
  const weights = g.device(`${home}/cpu:0`, () => g.variable(title, initializers.randomNormal({ stddev: 0.1 }), { shape: [SIZE, SIZE] }));
  const losses = cards.map((card, i) =>
    g.device(`/job:machine/task:${machines[i]}/gpu:${card}`, () => {
      const batch = g.fill([SIZE, SIZE], (i + 1) / SIZE);
      return g.reduceMean(g.square(g.sub(g.matmul(batch, weights), 1)));
    }),
  );
  const train = g.device(`${home}/cpu:0`, () => {
    const loss = g.div(g.addN(losses), losses.length);
    // `colocate`: the gradient of each loss is computed on the card that has the loss.
    return new GradientDescentOptimizer(1).minimize(loss, { colocate: true });
  });

  const session = context.session(g, 'machine', machines[0]);
  await session.run(g.globalVariablesInitializer());
  const { metadata } = await session.runWithMetadata(train, fullTrace);
  context.trace(title, metadata);
  const start = performance.now();
  for (let step = 0; step < STEPS; step++) await session.run(train);
  const stepsPerSecond = (STEPS * 1000) / (performance.now() - start);
  const bytes = totalBytes(transfers(metadata));
  context.log(`${title}: ${stepsPerSecond.toFixed(1)} steps per second, ${bytes} bytes between machines in a step`);
  context.sample('steps per second', machines[0], stepsPerSecond);
  return { stepsPerSecond, bytes, weights: Array.from((await session.run(weights)).data, Number) };
}

export default defineProgram({
  name: 'cards-and-machines',
  title: 'One machine with two cards against two machines with one',
  cluster: { machine: 3 },
  virtualGpus: 2,

  async run(context) {
    const together = await measure(context, 'two_cards_in_one_machine', [0, 0], [0, 1]);
    const apart = await measure(context, 'one_card_in_each_of_two_machines', [1, 2], [0, 0]);
    const gaps = together.weights.map((weight, i) => Math.abs(weight - (apart.weights[i] ?? Number.NaN)));
    return {
      speedTogether: together.stepsPerSecond,
      speedApart: apart.stepsPerSecond,
      bytesTogether: together.bytes,
      bytesApart: apart.bytes,
      largestGap: Math.max(...gaps),
    };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: { bytesTogether: 0 } }),
    ...unmet({
      'both come to the same parameters': numberIn(outcomes, 'largestGap') < 1e-5,
      'between machines, parameters and gradients cross': numberIn(outcomes, 'bytesApart') > SIZE * SIZE * 4,
      'both were measured': numberIn(outcomes, 'speedTogether') > 0 && numberIn(outcomes, 'speedApart') > 0,
    }),
  ],
});
