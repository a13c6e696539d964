import { defineProgram, Graph, toNumber } from 'lanflow/client';

/** Adds one to a variable on a ps, three times. */
export default defineProgram({
  name: 'count',
  title: 'Count',
  cluster: { ps: 1, worker: 1 },
  async run(context) {
    const graph = new Graph();
    const count = graph.device('/job:ps/task:0', () => graph.variable('count', 0));
    const add = count.assignAdd(1);
    const session = context.session(graph, 'worker', 0);
    await session.run(count.initializer);
    for (let step = 1; step <= 3; step++) context.sample('count', step, toNumber(await session.run(add)));
    return { count: toNumber(await session.run(count)) };
  },
});
