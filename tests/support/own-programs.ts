import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TemporaryHome } from './window-app.ts';

const drawing = fileURLToPath(new URL('../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url));

/** Goes on until it is stopped. */
const counting = `import { defineProgram, Graph, toNumber } from 'lanflow/client';

export default defineProgram({
  name: 'counting',
  title: 'Counting',
  cluster: { ps: 1, worker: 1 },
  async run(context) {
    const graph = new Graph();
    const counter = graph.device('/job:ps/task:0', () => graph.variable('counter', 0));
    const count = counter.assign(graph.add(counter, 1));
    const initialize = graph.globalVariablesInitializer();
    const session = context.session(graph, 'worker', 0);
    await session.run(initialize);
    for (let step = 1; ; step++) {
      context.sample('counter', step, toNumber(await session.run(count)));
      context.log(\`step \${step}\`);
      await context.sleep(200);
    }
  },
});
`;

const failing = `import { defineProgram, Graph } from 'lanflow/client';

export default defineProgram({
  name: 'failing',
  title: 'Failing',
  cluster: { worker: 1 },
  async run(context) {
    const graph = new Graph();
    const product = graph.placeholder('float', [], { name: 'input' });
    await context.session(graph, 'worker', 0).run(product);
    return {};
  },
});
`;

const looping = `import { defineProgram } from 'lanflow/client';

export default defineProgram({
  name: 'looping',
  title: 'Looping',
  cluster: {},
  async run(context) {
    context.log('round and round');
    await context.sleep(100);
    for (;;);
  },
});
`;

/** Programs of the user's own: `counting` and `looping` go on until they are stopped, `failing` fails, `regression` is drawn. */
export function writeOwnPrograms(home: TemporaryHome): void {
  const programs = join(home.folder, 'data', 'programs');
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, 'counting.ts'), counting);
  writeFileSync(join(programs, 'failing.ts'), failing);
  writeFileSync(join(programs, 'looping.ts'), looping);
  copyFileSync(drawing, join(programs, 'regression.lanflow.json'));
}
