/**
 * Two sessions on two servers of one cluster, and one variable.
 *
 * Teaches: variables of the same name on the same device are one variable, whoever asks. What is not pinned is placed by the
 * master: on the first task of the cluster, whichever task the master is.
 * Look at: session 2 sees what session 1 added. Compare with `local-sessions`.
 * Right: 1.0 in both sessions. On genuine TensorFlow 2.x, which prefers the master's own task, each master has a `var` of its
 * own: 1.0 in session 1 and 0.0 in session 2. `placed` says which of the two rules the cluster follows.
 */
import { defineProgram, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences, textsIn } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const task = (index: number): string => `/job:local/replica:0/task:${index}`;
/** Only a task that prefers itself puts anything there without a card. */
const OWN = `${task(1)}/device:CPU:0`;

export default defineProgram({
  name: 'shared-variable',
  title: 'Sessions of one cluster share variables by name',
  cluster: { local: 2 },

  async run(context) {
    const g = new Graph();
    const variable = g.variable('var', 0);
    const addOne = variable.assignAdd(1);
    const initialize = g.globalVariablesInitializer();

    const [session1, session2] = [context.session(g, 'local', 0), context.session(g, 'local', 1)];
    const readBoth = async () => [toNumber(await session1.run(variable)), toNumber(await session2.run(variable))];
    await session1.run(initialize);
    await session2.run(initialize);
    const initial = await readBoth();
    context.log(`Initial value of var in session 1: ${initial[0]}, in session 2: ${initial[1]}`);

    await session1.run(addOne);
    context.log('Incremented var in session 1');
    const final = await readBoth();
    context.log(`Value of var in session 1: ${final[0]}, in session 2: ${final[1]}`);
    const { metadata } = await session2.runWithMetadata(variable, fullTrace);
    context.trace('read in session 2', metadata);
    return { initial, final, placed: deviceOf(metadata, 'var') };
  },

  check: (outcomes) => {
    // The first task of a larger cluster may be one of another job.
    const [placed = task(0)] = textsIn(outcomes, 'placed');
    const shared = differences(outcomes, { [ONLY_CLIENT]: { placed, initial: [0, 0], final: [1, 1] } });
    const onOwnTask = differences(outcomes, { [ONLY_CLIENT]: { placed: task(1), initial: [0, 0], final: [1, 0] } });
    return placed === OWN || onOwnTask.length === 0 ? onOwnTask : shared;
  },
});
