import { describe, expect, it } from 'vitest';
import { type Analysis, analyze } from '#proto/graph-document/analysis.ts';
import type { GraphDocument } from '#proto/graph-document/document.ts';
import { findProblems } from '#proto/graph-document/find-problems.ts';
import { CONTROL_SLOT } from '#proto/graph-document/join.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { CanvasElements, edgeId, joinOf, parseEdgeId } from '../../../../renderer/features/draw/canvas-elements.ts';
import { freePlace } from '../../../../renderer/features/draw/free-place.ts';
import { set } from '../../../../renderer/features/draw/model/commands.ts';
import { tidy } from '../../../../renderer/features/draw/tidy.ts';

const drawing: GraphDocument = readDocument(
  JSON.stringify({
    version: 1,
    title: 't',
    nodes: [
      { name: 'x', kind: 'constant', value: [1, 2, 3] },
      { name: 'parts', kind: 'op', op: 'Split', inputs: ['axis', 'x'], attrs: { num_split: 3 }, x: 240 },
      { name: 'axis', kind: 'constant', dtype: 'int32', value: 0, y: 80 },
      { name: 'sum', kind: 'op', op: 'AddN', inputs: [['parts', 'parts:2', 'gone']], control: ['train'], x: 480 },
      { name: 'w', kind: 'variable', initial: { initializer: 'value', value: 1 }, y: 160 },
      { name: 'train', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, loss: 'w' },
    ],
  }),
);
const nodeLabel = ({ what, problems }: { what: string; problems: number }) => `${what} ${problems}`;
const edgeLabel = (from: string, to: string, slot: string) => `${from} ${to} ${slot}`;

function drawn(elements: CanvasElements, document: GraphDocument, previous?: Analysis) {
  const analysis = analyze(document, previous);
  return {
    analysis,
    nodes: elements.nodes(analysis, findProblems(document, analysis), nodeLabel),
    edges: elements.edges(analysis, edgeLabel),
  };
}

describe('the canvas shows', () => {
  const { nodes, edges } = drawn(new CanvasElements(), drawing);
  const node = (name: string) => nodes.find(({ id }) => id === name) ?? expect.unreachable(name);

  it('nodes with a port for each input and output, and room for all of them', () => {
    expect(node('parts').inputs?.map(({ label }) => label)).toEqual(['split_dim', 'value']);
    expect(node('parts').outputs?.map(({ id }) => id)).toEqual(['0', '1', '2']);
    expect(node('parts').height).toBeGreaterThan(node('x').height);
    expect(node('train').outputs).toEqual([{ id: 'control', label: '' }]);
    expect(node('x').data).toMatchObject({ what: 'constant', type: 'float[3]', problems: 0 });
    expect(node('sum').label).toBe('AddN 1');
  });

  it('edges from ports to ports, but none from a node that is not there', () => {
    const ends = edges.map(({ from, fromPort, to, toPort, kind }) => `${from}.${fromPort} ${to}.${toPort} ${kind}`);
    expect(ends).toEqual([
      'axis.0 parts.0 data',
      'x.0 parts.1 data',
      'parts.0 sum.0 data',
      'parts.2 sum.0 data',
      'train.control sum.0 control',
      'w.0 train.0 data',
    ]);
    expect(new Set(edges.map(({ id }) => id)).size).toBe(edges.length);
  });
});

it('what a change does not touch stays the same object', () => {
  const elements = new CanvasElements();
  const before = drawn(elements, drawing);
  const after = drawn(elements, set('w', { device: '/job:ps' })(drawing), before.analysis);
  const changed = after.nodes.filter((node, i) => node !== before.nodes[i]).map(({ id }) => id);
  expect(changed).toEqual(['w']);
  expect(after.edges.every((edge, i) => edge === before.edges[i])).toBe(true);
});

it('an edge is found again by its id', () => {
  expect(parseEdgeId(edgeId('a:b/c', CONTROL_SLOT, 2))).toEqual({ node: 'a:b/c', slot: CONTROL_SLOT, position: 2 });
  expect(parseEdgeId('node')).toBeUndefined();
});

it('an edge that is drawn is a connection, from or to a control port one of order', () => {
  expect(joinOf({ from: 'a', fromPort: '2', to: 'b', toPort: '1' })).toEqual({ from: 'a:2', to: { node: 'b', slot: 1 } });
  expect(joinOf({ from: 'a', fromPort: 'control', to: 'b', toPort: '1' })).toEqual({ from: 'a', to: { node: 'b', slot: CONTROL_SLOT } });
  expect(joinOf({ from: 'a', fromPort: '1', to: 'b', toPort: 'control' })).toEqual({ from: 'a', to: { node: 'b', slot: CONTROL_SLOT } });
});

it('a new node is put where nothing is', () => {
  const { nodes } = drawing;
  expect(freePlace([], undefined)).toEqual({ x: 0, y: 0 });
  const place = freePlace(nodes, nodes[0]);
  expect(place.x).toBeGreaterThan(172);
  expect(nodes.some(({ x, y }) => Math.abs(x - place.x) < 172 && Math.abs(y - place.y) < 40)).toBe(false);
});

it('tidying up moves nodes to where the layout wants them, and nothing else', async () => {
  const asked: unknown[] = [];
  const layout = async ({ nodes, edges }: { nodes: readonly { id: string }[]; edges: readonly { from: string; to: string }[] }) => {
    asked.push(...edges.map(({ from, to }) => `${from} ${to}`));
    return { boxes: new Map(nodes.map(({ id }, i) => [id, { x: i * 10.4, y: 1, width: 1, height: 1 }])), routes: new Map() };
  };
  const next = (await tidy({ layout }, analyze(drawing)))(drawing);
  expect(asked).toEqual(['axis parts', 'x parts', 'parts sum', 'parts sum', 'train sum', 'w train']);
  expect(next.nodes.map(({ x, y }) => [x, y])).toEqual([
    [0, 1],
    [10, 1],
    [21, 1],
    [31, 1],
    [42, 1],
    [52, 1],
  ]);
  expect(next.nodes.map(({ name, inputs }) => [name, inputs])).toEqual(drawing.nodes.map(({ name, inputs }) => [name, inputs]));
});
