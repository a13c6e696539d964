import { describe, expect, it } from 'vitest';
import { Graph, type ProgramContext } from '../../../../main/client/index.ts';
import type { ClientEvent } from '../../../../main/program-host/protocol.ts';
import { Rehearsal } from '../../../../main/program-host/rehearsal.ts';
import { SentGraphs } from '../../../../main/program-host/sent-graphs.ts';

/** What a rehearsal tells of the sessions that `program` opens, and that run one step each. */
async function toldConfigs(program: (context: ProgramContext, graphs: readonly [Graph, Graph]) => Promise<unknown>) {
  const events: ClientEvent[] = [];
  const cluster = { worker: ['a:1'] };
  const graphs = new SentGraphs((event) => events.push(event));
  const { context } = new Rehearsal({ cluster, virtualGpus: 0, graphs, signal: new AbortController().signal });
  await program(context, [graphWith('first'), graphWith('second')]);
  return events.map((event) => (event.kind === 'graph' ? event.config : undefined));
}

function graphWith(name: string): Graph {
  const graph = new Graph();
  graph.constant(1, { name });
  return graph;
}

const output = (graph: Graph) => [...graph.nodes.values()].map((node) => node.output());

describe('a rehearsal', () => {
  it('tells with each graph what its session says of placement', async () => {
    const configs = await toldConfigs(async (context, [first, second]) => {
      const config = { allowSoftPlacement: true, deviceFilters: ['/job:ps', '/job:worker/task:0'] };
      await context.session(first, 'worker', 0, { config }).run(output(first));
      await context.session(second, 'worker', 0).run(output(second));
    });
    expect(configs).toEqual([
      { softPlacement: true, deviceFilters: ['/job:ps', '/job:worker/task:0'] },
      { softPlacement: false, deviceFilters: [] },
    ]);
  });

  it('of several sessions with one graph, those of the first', async () => {
    const configs = await toldConfigs(async (context, [graph]) => {
      await context.session(graph, 'worker', 0, { config: { allowSoftPlacement: true } }).run(output(graph));
      await context.session(graph, 'worker', 0).run(output(graph));
    });
    expect(configs).toEqual([{ softPlacement: true, deviceFilters: [] }]);
  });
});
