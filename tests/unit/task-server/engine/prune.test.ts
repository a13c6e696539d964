import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import type { Graph } from '../../../../task-server/engine/graph.ts';
import { clientKey, type PruneOptions, pruneGraph } from '../../../../task-server/engine/prune.ts';
import { graphOf } from '../master/graph-builder.ts';

const client = { name: '/job:worker/replica:0/task:0/device:CPU:0', incarnation: 0xfedcba9876543210n };
const PS = '/job:ps/replica:0/task:0/device:CPU:0';

function prune(graph: Graph, changes: Partial<PruneOptions>): Graph {
  return pruneGraph(graph, { feeds: [], fetches: [], targets: [], client, ...changes });
}

/** `name(inputs)` of every node, sorted. */
function shape(graph: Graph): string[] {
  return [...graph.nodes.values()].map(({ name, proto }) => `${name}(${proto.input.join(', ')})`).sort();
}

/** x → neg → sum ← y, and a side effect that nothing reads. */
function sample(): Graph {
  const graph = graphOf(
    { name: 'x', op: 'Placeholder', attr: { dtype: 'float' } },
    { name: 'y', op: 'Const', attr: { dtype: 'float', value: 1 } },
    { name: 'neg', op: 'Neg', input: ['x'], attr: { T: 'float' } },
    { name: 'sum', op: 'AddV2', input: ['neg', 'y'], attr: { T: 'float' } },
    { name: 'after_x', op: 'NoOp', input: ['^x'] },
    { name: 'after_y', op: 'NoOp', input: ['^y'] },
    { name: 'parts', op: 'Split', input: ['axis', 'y'], attr: { T: 'float', num_split: 2 } },
    { name: 'axis', op: 'Const', attr: { dtype: 'int32', value: 0 } },
    { name: 'first', op: 'Neg', input: ['parts'], attr: { T: 'float' } },
    { name: 'second', op: 'Neg', input: ['parts:1'], attr: { T: 'float' } },
  );
  for (const node of graph.nodes.values()) node.device = PS;
  return graph;
}

describe('pruneGraph', () => {
  it('keeps what the fetches and targets need and nothing else', () => {
    expect(shape(prune(sample(), { fetches: ['sum:0'] }))).toEqual(['_send_sum_0(sum)', 'neg(x)', 'sum(neg, y)', 'x()', 'y()']);
    expect(shape(prune(sample(), { targets: ['after_y'] }))).toEqual(['after_y(^y)', 'y()']);
  });

  it('replaces a fed output and drops its producers', () => {
    expect(shape(prune(sample(), { feeds: ['neg:0'], fetches: ['sum:0'] }))).toEqual([
      '_recv_neg_0()',
      '_send_sum_0(sum)',
      'sum(_recv_neg_0, y)',
      'y()',
    ]);
  });

  it('keeps a node of which only one output is fed', () => {
    const graph = prune(sample(), { feeds: ['parts:1'], targets: ['first', 'second'] });
    expect(shape(graph)).toEqual(['_recv_parts_1()', 'axis()', 'first(parts)', 'parts(axis, y)', 'second(_recv_parts_1)', 'y()']);
  });

  it('lets the feed of a placeholder take over its control edges, but not that of another op', () => {
    expect(shape(prune(sample(), { feeds: ['x:0'], targets: ['after_x'] }))).toEqual(['_recv_x_0()', 'after_x(^_recv_x_0)']);
    expect(shape(prune(sample(), { feeds: ['y:0'], targets: ['after_y'] }))).toEqual(['_recv_y_0()', 'after_y(^y)', 'y()']);
  });

  it('ends feeds and fetches at the client device, with the key that the client side uses', () => {
    const graph = prune(sample(), { feeds: ['x:0'], fetches: ['neg:0'] });
    for (const name of ['_recv_x_0', '_send_neg_0']) {
      const node = graph.node(name);
      expect(node?.device).toBe(client.name);
      expect(node?.attrs.text('tensor_name')).toBe(name === '_recv_x_0' ? 'x:0' : 'neg:0');
      expect(node?.attrs.text('send_device')).toBe(client.name);
      expect(node?.attrs.text('recv_device')).toBe(client.name);
      expect(BigInt.asUintN(64, node?.attrs.bigint('send_device_incarnation') ?? 0n)).toBe(client.incarnation);
      expect(node?.attrs.bool('client_terminated')).toBe(true);
    }
    expect(graph.node('neg')?.device).toBe(PS);
    expect(clientKey(client, 'x:0')).toBe(`${client.name};fedcba9876543210;${client.name};x:0;0:0`);
  });

  it('fetches the value behind a reference, and keeps the order of the definition', () => {
    const graph = prune(graphOf({ name: 'v', op: 'VariableV2', attr: { dtype: 'float', shape: [2] } }), { fetches: ['v:0'] });
    expect(graph.node('_send_v_0')?.attrs.type('T')).toBe('float');
    expect([...graph.nodes.keys()]).toEqual(['v', '_send_v_0']);
  });

  it('leaves the given graph as it was', () => {
    const graph = sample();
    prune(graph, { feeds: ['neg:0'], fetches: ['sum:0'] });
    expect(graph.node('sum')?.proto.input).toEqual(['neg', 'y']);
    expect(graph.nodes.size).toBe(10);
  });

  it.each<[string, Partial<PruneOptions>, number, string]>([
    ['nothing asked for', { feeds: ['x:0'] }, Code.INVALID_ARGUMENT, 'Must specify at least one target to fetch or execute.'],
    ['the same feed twice', { feeds: ['x:0', 'x'], fetches: ['neg:0'] }, Code.INVALID_ARGUMENT, 'Endpoint "x" fed more than once.'],
    ['a tensor fed and fetched', { feeds: ['x:0'], fetches: ['x:0'] }, Code.INVALID_ARGUMENT, 'x:0 is both fed and fetched.'],
    ['an unknown feed', { feeds: ['nope:0'], fetches: ['x:0'] }, Code.NOT_FOUND, 'FeedInputs: unable to find feed output nope:0'],
    [
      'a feed of an output that is not there',
      { feeds: ['x:1'], fetches: ['neg:0'] },
      Code.INVALID_ARGUMENT,
      'FeedInputs: x:1 should have output index < 1',
    ],
    ['an unknown fetch', { fetches: ['nope:0'] }, Code.NOT_FOUND, 'FetchOutputs node nope:0: not found'],
    [
      'a fetch of an output that is not there',
      { fetches: ['x:1'] },
      Code.INVALID_ARGUMENT,
      'FetchOutputs x:1: output index too large, must be < 1',
    ],
    [
      'a fetch of a node without outputs',
      { fetches: ['after_x:0'] },
      Code.INVALID_ARGUMENT,
      "Tried to fetch data for 'after_x:0', which produces no output.  To run to a node but not fetch any data, pass 'after_x:0' " +
        "as an argument to the 'target_node_names' argument of the Session::Run API.",
    ],
    ['unknown targets', { targets: ['a', 'x', 'b'] }, Code.NOT_FOUND, 'PruneForTargets: Some target nodes not found: a b '],
  ])('refuses %s', (_, changes, code, message) => {
    expect(() => prune(sample(), changes)).toThrow(expect.objectContaining({ code, message }));
  });
});
