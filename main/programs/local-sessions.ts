/**
 * Two sessions without a target, each on a private server of its own.
 *
 * Teaches: local sessions share nothing. The graph is the same, but each server has its own `var`.
 * Look at: both start from 0.0, and what one adds the other does not see. Compare with `shared-variable`.
 * Right: 1.0 in session 1, 2.0 in session 2.
 */
import { defineProgram, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences } from './check.ts';

export default defineProgram({
  name: 'local-sessions',
  title: 'Local sessions share nothing',
  cluster: {},

  async run(context) {
    const g = new Graph();
    const variable = g.variable('var', 0);
    const [addOne, addTwo] = [variable.assignAdd(1), variable.assignAdd(2)];
    const initialize = g.globalVariablesInitializer();

    const [session1, session2] = [context.localSession(g), context.localSession(g)];
    const readBoth = async () => [toNumber(await session1.run(variable)), toNumber(await session2.run(variable))];
    await session1.run(initialize);
    await session2.run(initialize);
    const initial = await readBoth();
    context.log(`Initial value of var in session 1: ${initial[0]}, in session 2: ${initial[1]}`);

    await session1.run(addOne);
    await session2.run(addTwo);
    const final = await readBoth();
    context.log(`Value of var in session 1: ${final[0]}, in session 2: ${final[1]}`);
    return { initial, final };
  },

  check: (outcomes) => differences(outcomes, { [ONLY_CLIENT]: { initial: [0, 0], final: [1, 2] } }),
});
