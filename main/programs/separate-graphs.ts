/**
 * Two graphs, two sessions, one shared variable.
 *
 * Teaches: it is not the graph that makes a variable the same one but its name and its device. Each client may build a graph
 * of its own, as between-graph replication does.
 * Look at: a session knows only its own graph. Session 2 reads what session 1 wrote, and no initializer ran in either.
 * Right: session 2 reads 1.0. On genuine TensorFlow 2.x, where each master places `var` on its own task, the `var` of session 2
 * is another one and has no value. `placed` says where session 2 looked.
 */
import { defineProgram, Graph, ONLY_CLIENT, toNested, toNumber } from '../client/index.ts';
import { differences, textsIn } from './check.ts';
import { deviceOf, fullTrace } from './trace.ts';

const task = (index: number): string => `/job:local/replica:0/task:${index}`;
/** Only a task that prefers itself puts anything there without a card. */
const OWN = `${task(1)}/device:CPU:0`;

export default defineProgram({
  name: 'separate-graphs',
  title: 'Two graphs share one variable',
  cluster: { local: 2 },

  async run(context) {
    const graph1 = new Graph();
    const var1 = graph1.variable('var', 0);
    const assign = var1.assign(1);
    const session1 = context.session(graph1, 'local', 0);
    context.log(`graph 1 has ${[...graph1.nodes.keys()].join(', ')}`);

    const graph2 = new Graph();
    const session2 = context.session(graph2, 'local', 1);
    context.log(`graph 2 has ${[...graph2.nodes.keys()].join(', ') || 'no nodes'}`);
    const var2 = graph2.variable('var', 0);

    await session1.run(assign);
    const { value, metadata } = await session2.runWithMetadata(var2.isInitialized(), fullTrace);
    const seen = toNested(value) === true ? String(toNumber(await session2.run(var2))) : 'no value';
    context.log(`var in session 2: ${seen}`);
    return { seen, placed: deviceOf(metadata, 'var') };
  },

  check: (outcomes) => {
    // The first task of a larger cluster may be one of another job.
    const [placed = task(0)] = textsIn(outcomes, 'placed');
    const shared = differences(outcomes, { [ONLY_CLIENT]: { placed, seen: '1' } });
    const onOwnTask = differences(outcomes, { [ONLY_CLIENT]: { placed: task(1), seen: 'no value' } });
    return placed === OWN || onOwnTask.length === 0 ? onOwnTask : shared;
  },
});
