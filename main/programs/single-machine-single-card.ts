/**
 * One machine with one card: parameters on the CPU, computation on the card.
 *
 * Teaches: a session without a target makes a private server of its own. A bare `/cpu:0` or `/gpu:0` names a device of it.
 * Parameters may be on the card too, as long as its memory can hold them.
 * Look at: the trace. `sum` and `product` ran on the card, and what they read came from the CPU.
 * Right: 2 + 5 = 7 and 2 · 5 = 10 in each of the four elements. The card is a pretended one (a thread of the server).
 */
import { defineProgram, Graph, initializers, ONLY_CLIENT, toNested } from '../client/index.ts';
import { differences } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const CARD = '/job:localhost/replica:0/task:0/device:GPU:0';

export default defineProgram({
  name: 'single-machine-single-card',
  title: 'Parameters on the CPU, computation on a card',
  cluster: {},

  async run(context) {
    const g = new Graph();
    const [w, b] = g.device('/cpu:0', () => [
      g.variable('w', initializers.constant(2), { shape: [2, 2] }),
      g.variable('b', initializers.constant(5), { shape: [2, 2] }),
    ]);
    const [sum, product] = g.device('/gpu:0', () => [g.add(w, b, { name: 'sum' }), g.mul(w, b, { name: 'product' })]);

    const session = context.localSession(g, { virtualGpus: 1 });
    await session.run(g.globalVariablesInitializer());
    const { value, metadata } = await session.runWithMetadata({ sum, product }, fullTrace);
    context.trace('sum and product', metadata);
    const [sumText, productText] = [JSON.stringify(toNested(value.sum)), JSON.stringify(toNested(value.product))];
    context.log(`w + b = ${sumText}`);
    context.log(`w * b = ${productText}`);
    return { sum: sumText, product: productText, computedOn: [deviceOf(metadata, 'sum'), deviceOf(metadata, 'product')] };
  },

  check: (outcomes) =>
    differences(outcomes, { [ONLY_CLIENT]: { sum: '[[7,7],[7,7]]', product: '[[10,10],[10,10]]', computedOn: [CARD, CARD] } }),
});
