import { quoted } from './self-contained.ts';

/** A new program of code: short, explained, and right as it is. */
export function programTemplate({ name, title }: { readonly name: string; readonly title: string }): string {
  return `import { defineProgram, Graph, toNumber } from 'lanflow/client';

export default defineProgram({
  name: ${quoted(name)},
  title: ${quoted(title)},
  // Tasks per job. They are started for the run, unless you choose a cluster that runs.
  cluster: { ps: 1, worker: 1 },

  async run(context) {
    // The graph: a variable that lives on the ps, and a sum that the worker computes.
    const graph = new Graph();
    const counter = graph.device('/job:ps/task:0', () => graph.variable('counter', 0));
    const next = graph.device('/job:worker/task:0', () => graph.add(counter, 1));
    const count = counter.assign(next);
    const initialize = graph.globalVariablesInitializer();

    // A session sends the graph to the cluster. Each run of it is one step.
    const session = context.session(graph, 'worker', 0);
    await session.run(initialize);
    let value = 0;
    for (let step = 1; step <= 10; step++) {
      value = toNumber(await session.run(count));
      // A point of the plot, and a line of the log.
      context.sample('counter', step, value);
      context.log(\`counter is \${value}\`);
      await context.sleep(200);
    }
    return { counter: value };
  },
});
`;
}
