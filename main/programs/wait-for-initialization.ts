/**
 * Two clients: that of server 1 waits until that of server 2 has initialized the variable.
 *
 * Teaches: between-graph, somebody must initialize what is shared, and the others wait. `reportUninitializedVariables` gives
 * the names of the variables that have no value yet.
 * Look at: server 1 asks again and again, and goes on as soon as the answer is empty.
 * Right: server 2 finds `var` without a value and initializes it; server 1 then reads 5.0. `var` is pinned: unpinned, genuine
 * TensorFlow 2.x would give each master a `var` on its own task, and server 1 would wait for ever.
 */
import { defineProgram, Graph, toNested, toNumber } from '../client/index.ts';
import { bystander } from './bystander.ts';
import { differences } from './check.ts';

/** Milliseconds between two looks. */
const PAUSE = 300;
const INITIAL_VALUE = 5;

export default defineProgram({
  name: 'wait-for-initialization',
  title: 'One client waits until another has initialized',
  cluster: { local: 2 },

  async task(context) {
    if (context.job !== 'local' || context.index > 1) return bystander(context);
    const g = new Graph();
    const variable = g.device('/job:local/task:0', () => g.variable('var', INITIAL_VALUE));
    const initialize = g.globalVariablesInitializer();
    const report = g.reportUninitializedVariables();
    const session = context.session(g, 'local', context.index);
    const missing = async () => [toNested(await session.run(report))].flat().map(String);

    if (context.index === 0) {
      context.log('Server 1: waiting for connection...');
      let looks = 0;
      for (; (await missing()).length > 0; looks++) {
        context.log('Server 1: waiting for initialization...');
        context.sample('looks', looks, looks);
        await context.sleep(PAUSE);
      }
      context.log('Server 1: variables initialized!');
      return { value: toNumber(await session.run(variable)) };
    }

    const missingAtFirst = await missing();
    for (let left = 3; left > 0; left--) {
      context.log(`Server 2: waiting ${left} pauses before initializing...`);
      await context.sleep(PAUSE);
    }
    await session.run(initialize);
    return { missingAtFirst, missingAtLast: await missing() };
  },

  check: (outcomes) =>
    differences(outcomes, {
      '/job:local/replica:0/task:0': { value: INITIAL_VALUE },
      '/job:local/replica:0/task:1': { missingAtFirst: ['var'], missingAtLast: [] },
    }),
});
