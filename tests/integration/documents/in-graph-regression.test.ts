import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClusterSpec, decodeGraphDef, encodeGraphDef, Graph, Session, toNumber } from '../../../main/client/index.ts';
import { buildDocumentGraph } from '../../../main/program-host/document-graph.ts';
import { runProgram } from '../../../main/program-host/run-program.ts';
import { readDocument } from '../../../proto/graph-document/read-document.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';

const entry = fileURLToPath(new URL('../../../dist/program-host/index.js', import.meta.url));
const fixture = new URL('../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url);
/** How often the sample looks at its variables. */
const EVERY = 20;

type Series = Record<string, [step: number, value: number][]>;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ jobs: { canshu: 2, gongzuo: 2 }, engine: 'bundled' });
});
afterAll(() => cluster?.stop());

/** Runs a document's plan as a client would that has nothing but its GraphDef. */
async function runDocument(text: string): Promise<Series> {
  const { graph, plan } = buildDocumentGraph(readDocument(text));
  const sent = new Graph();
  const nodes = sent.importGraphDef(decodeGraphDef(encodeGraphDef(graph.toDef())));
  const nodesOf = (names: readonly string[] = []) => names.map((name) => nodes.get(name) ?? expect.unreachable(name));
  const session = new Session(cluster.target('canshu', 0), { graph: sent, cluster: new ClusterSpec(cluster.addresses) });
  const series: Series = {};
  try {
    await session.run(nodesOf(plan.initialize));
    for (let step = 0; step < (plan.steps ?? 0); step++) {
      await session.run(nodesOf(plan.targets));
      if (step % EVERY > 0) continue;
      const watched = plan.watch ?? [];
      const values = await session.run(nodesOf(watched).map((node) => node.output()));
      for (const [i, name] of watched.entries()) {
        const value = values[i];
        if (value) series[name] = [...(series[name] ?? []), [step, toNumber(value)]];
      }
    }
  } finally {
    await session.close();
  }
  return series;
}

it('a drawn regression gives the very series of the one that is written', async () => {
  const written: Series = {};
  const { problems } = await runProgram({
    entry,
    source: { sample: 'in-graph-regression' },
    onEvent: (event) => {
      if (event.kind === 'sample') written[event.series] = [...(written[event.series] ?? []), [event.step, event.value]];
    },
  });
  expect(problems).toEqual([]);
  expect(written['weight']).toHaveLength(50);
  expect(await runDocument(await readFile(fixture, 'utf8'))).toEqual(written);
});
