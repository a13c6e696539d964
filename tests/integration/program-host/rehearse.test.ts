import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatGraphDef, Graph } from '../../../main/client/index.ts';
import { type RehearseOptions, rehearse } from '../../../main/program-host/rehearse.ts';
import { programs } from '../../../main/programs/index.ts';
import { childrenOf } from '../../support/processes.ts';
import { fixture } from './started-run.ts';

const entry = fileURLToPath(new URL('../../../dist/program-host/index.js', import.meta.url));
const document = fileURLToPath(new URL('../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url));

const tasks = (...names: readonly string[]) => names.map((name) => `/job:${name.replace(':', '/replica:0/task:')}`);

/** Whose graphs there are; `client`, once, where nothing else is said. */
const graphsOf: Readonly<Record<string, readonly string[]>> = {
  'separate-graphs': ['client', 'client #2'],
  'wait-for-initialization': tasks('local:0', 'local:1'),
  'ps-workers': tasks('ps:0', 'worker:0', 'worker:1'),
  'sync-and-async-updates': ['client', 'client #2'],
  // The two workers of the between-graph form have graphs of their own.
  'in-graph-and-between-graph': ['client', 'client #2', 'client #3'],
  // The clients of workers 1 and 3 have nothing to do.
  'mixed-replication': tasks('ps:0', 'worker:0', 'worker:2'),
  'abc-workers-d-ps': tasks('ps:0', 'worker:0', 'worker:1', 'worker:2'),
  'cards-and-machines': ['client', 'client #2'],
};

describe('a rehearsal', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-rehearsal-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const rehearsalOf = (source: RehearseOptions['source'], options: Partial<RehearseOptions> = {}) =>
    rehearse({ entry, source, cluster: {}, ...options });
  const moduleWith = async (name: string, run: string): Promise<RehearseOptions['source']> => {
    const path = join(folder, `${name}.ts`);
    const text = `import { Graph, toNumber } from 'lanflow/client';
export default { name: '${name}', title: 'T', cluster: { worker: 1 }, async run(context) { const g = new Graph(); ${run} } };`;
    await writeFile(path, text);
    return { module: path };
  };

  it.each(programs)('gives all graphs of $name, with no task', async ({ name, title }) => {
    // It takes half a second; the limit is for machines that are busy with other tests.
    const { program, graphs, notes } = await rehearsalOf({ sample: name }, { timeoutMs: 30_000 });
    expect(program).toMatchObject({ name, title });
    expect(graphs.map(({ client }) => client)).toEqual(graphsOf[name] ?? ['client']);
    for (const { graphDef } of graphs) expect(graphDef.node.length).toBeGreaterThan(0);
    expect(notes).toEqual([]);
    expect(childrenOf(process.pid).filter(({ command }) => command.includes('program-host'))).toEqual([]);
  });

  it('gives the graph of a document and of a GraphDef', async () => {
    const { graphs, program } = await rehearsalOf({ graph: document });
    expect(program).toMatchObject({ cluster: { canshu: 2, gongzuo: 2 }, clients: 'one' });
    expect(graphs.map(({ client }) => client)).toEqual(['client']);
    const g = new Graph();
    g.constant(1, { name: 'only' });
    const path = join(folder, 'g.pbtxt');
    await writeFile(path, formatGraphDef(g.toDef()));
    const [found] = (await rehearsalOf({ graph: path })).graphs;
    expect(found?.graphDef.node.map(({ name }) => name)).toEqual(['only']);
  });

  it('tells a program of the cluster that it is given', async () => {
    const cluster = { ps: ['a:1'], worker: ['b:1', 'c:1', 'd:1'] };
    const { graphs } = await rehearsalOf({ sample: 'ps-workers' }, { cluster });
    expect(graphs.map(({ client }) => client)).toEqual(tasks('ps:0', 'worker:0', 'worker:1', 'worker:2'));
  });

  it('has the nodes that were added before the last step, and says that the program would go on', async () => {
    const { graphs, notes } = await rehearsalOf({ module: fixture('counter.ts') });
    expect(graphs.map(({ graphDef }) => graphDef.node.map(({ name }) => name))).toEqual([
      expect.arrayContaining(['count', 'add', 'scaled']),
    ]);
    expect(notes).toEqual([expect.stringMatching(/^client: it goes on and on/)]);
    const source = await moduleWith(
      'extends',
      `const s = context.session(g, 'worker', 0);
      for (let i = 0; i < 3; i++) await s.run(g.constant(i, { name: 'c' + i }));
      await s.listDevices(); return {};`,
    );
    const [extended] = (await rehearsalOf(source)).graphs;
    expect(extended?.graphDef.node.map(({ name }) => name)).toEqual(['c0', 'c1', 'c2']);
  });

  it('keeps what a program has built before it fails on made-up values', async () => {
    const source = await moduleWith(
      'fails',
      `const v = toNumber(await context.session(g, 'worker', 0).run(g.constant(3))); if (v !== 3) throw new Error('wrong: ' + v); return {};`,
    );
    const { graphs, notes } = await rehearsalOf(source);
    expect(graphs).toHaveLength(1);
    expect(notes).toEqual([expect.stringMatching(/the rehearsal ended early.*wrong: 0/)]);
  });

  it('fails as the program does that builds no graph at all', async () => {
    await expect(rehearsalOf({ module: fixture('broken.ts') })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    const source = await moduleWith('bad-graph', `g.matmul([[1]], [[1], [2]]); return {};`);
    await expect(rehearsalOf(source)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    await expect(rehearsalOf({ graph: join(folder, 'nowhere.pb') })).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
  });

  it('ends a program that does not end, and one that is not wanted any more', async () => {
    await expect(rehearsalOf({ module: fixture('endless.js') }, { timeoutMs: 1500 })).rejects.toMatchObject({
      codeName: 'DEADLINE_EXCEEDED',
    });
    const stop = new AbortController();
    const rehearsal = rehearsalOf({ module: fixture('endless.js') }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('not wanted')), 300);
    await expect(rehearsal).rejects.toThrow('not wanted');
    expect(childrenOf(process.pid).filter(({ command }) => command.includes('program-host'))).toEqual([]);
  });
});
