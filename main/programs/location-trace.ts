/**
 * Which device runs which node? A traced step tells.
 *
 * Teaches: run options ask for a trace; the run metadata then hold, by device, every node that ran. `g.device` pins nodes.
 * Look at: `var1` runs on task 0 and `var2` on task 1, whichever session asks for them; `var`, which is not pinned, was placed
 * by the master.
 * Right: as just said, with `var` on the first task of the cluster for both sessions. On genuine TensorFlow 2.x the master
 * prefers its own task, so that session 2 finds `var` on task 1.
 */
import { defineProgram, Graph, ONLY_CLIENT, type Output, type Session, type Variable } from '../client/index.ts';
import { differences, textsIn } from './check.ts';
import { deviceOf, fullTrace, nodesByDevice } from './trace.ts';

const task = (index: number): string => `/job:local/replica:0/task:${index}`;
/** Only a task that prefers itself puts anything there without a card. */
const OWN = `${task(1)}/device:CPU:0`;

export default defineProgram({
  name: 'location-trace',
  title: 'Which device runs which node',
  cluster: { local: 2 },

  async run(context) {
    const g = new Graph();
    const variable = g.variable('var', 0);
    const addOne = variable.assignAdd(1);
    const var1 = g.device('/job:local/task:0', () => g.variable('var1', 0));
    const var2 = g.device('/job:local/task:1', () => g.variable('var2', 0));

    const session1 = context.session(g, 'local', 0);
    const session2 = context.session(g, 'local', 1);
    const runWithLocationTrace = async (session: Session, fetch: Output | Variable, title: string) => {
      const { metadata } = await session.runWithMetadata(fetch, fullTrace);
      context.trace(title, metadata);
      context.log(title);
      for (const [device, nodes] of nodesByDevice(metadata)) {
        context.log(device);
        for (const node of nodes) context.log(`   ${node}`);
      }
      return metadata;
    };

    const initialize = g.globalVariablesInitializer();
    await session1.run(initialize);
    await session2.run(initialize);
    const placed = [
      deviceOf(await runWithLocationTrace(session1, variable, 'var from session 1'), 'var'),
      deviceOf(await runWithLocationTrace(session1, addOne, 'var + 1 from session 1'), 'var'),
      deviceOf(await runWithLocationTrace(session2, variable, 'var from session 2'), 'var'),
    ];
    const pinned = [
      deviceOf(await runWithLocationTrace(session1, var1, 'var1 from session 1'), 'var1'),
      deviceOf(await runWithLocationTrace(session1, var2, 'var2 from session 1'), 'var2'),
      deviceOf(await runWithLocationTrace(session2, var2, 'var2 from session 2'), 'var2'),
      deviceOf(await runWithLocationTrace(session2, var1, 'var1 from session 2'), 'var1'),
    ];
    return { placed, pinned };
  },

  check: (outcomes) => {
    const pinned = [task(0), task(1), task(1), task(0)];
    // That of a larger cluster may be one of another job.
    const [first = task(0)] = textsIn(outcomes, 'placed');
    const onFirstTask = differences(outcomes, { [ONLY_CLIENT]: { pinned, placed: [first, first, first] } });
    const onOwnTask = differences(outcomes, { [ONLY_CLIENT]: { pinned, placed: [task(0), task(0), task(1)] } });
    return first === OWN || onOwnTask.length === 0 ? onOwnTask : onFirstTask;
  },
});
