/**
 * One machine with two cards: parameters on the CPU, one computation on each card.
 *
 * Teaches: nodes on different cards that do not need each other run at the same time, in one step.
 * Look at: the trace. `sum` ran on the first card, `product` on the second, side by side.
 * Right: 2 + 5 = 7 and 2 · 5 = 10 in each element, in every round. The cards are pretended ones (threads of the server).
 */
import { defineProgram, Graph, initializers, ONLY_CLIENT, toNested } from '../client/index.ts';
import { differences } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const ROUNDS = 5;
const MACHINE = '/job:local/replica:0/task:0';

export default defineProgram({
  name: 'single-machine-multi-card',
  title: 'Two cards of one machine compute side by side',
  cluster: { local: 1 },
  virtualGpus: 2,

  async run(context) {
    const g = new Graph();
    const [w, b] = g.device(`${MACHINE}/cpu:0`, () => [
      g.variable('w', initializers.constant(2), { shape: [2, 2] }),
      g.variable('b', initializers.constant(5), { shape: [2, 2] }),
    ]);
    const sum = g.device(`${MACHINE}/gpu:0`, () => g.add(w, b, { name: 'sum' }));
    const product = g.device(`${MACHINE}/gpu:1`, () => g.mul(w, b, { name: 'product' }));

    const session = context.session(g, 'local', 0);
    await session.run(g.globalVariablesInitializer());
    const results: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      results.push(JSON.stringify((await session.run([sum, product])).map(toNested)));
      context.log(`round ${round}: [w + b, w * b] = ${results.at(-1)}`);
    }

    const { metadata } = await session.runWithMetadata([sum, product], fullTrace);
    context.trace('sum and product', metadata);
    return { results, computedOn: [deviceOf(metadata, 'sum'), deviceOf(metadata, 'product')] };
  },

  check: (outcomes) => {
    const results = Array.from({ length: ROUNDS }, () => '[[[7,7],[7,7]],[[10,10],[10,10]]]');
    return differences(outcomes, { [ONLY_CLIENT]: { results, computedOn: [`${MACHINE}/device:GPU:0`, `${MACHINE}/device:GPU:1`] } });
  },
});
