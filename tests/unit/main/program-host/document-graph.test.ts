import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildDocumentGraph } from '../../../../main/program-host/document-graph.ts';
import type { GraphDocument } from '../../../../proto/graph-document/document.ts';
import { readDocument } from '../../../../proto/graph-document/read-document.ts';
import { constant, documentOf, op, variable } from '../../proto/graph-document/documents.ts';

const regression = readDocument(
  readFileSync(new URL('../../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url), 'utf8'),
);
const descent = (name: string, more: object) => ({ name, kind: 'optimizer', optimizer: 'GradientDescent', learningRate: 0.5, ...more });

/** Op, device and inputs of each node, by name. */
function nodesOf(document: GraphDocument): Record<string, string> {
  const { graph } = buildDocumentGraph(document);
  const entries = graph.toDef().node.map(({ name, op: type, device, input }) => [name, [type, device, ...input].join(' ')]);
  return Object.fromEntries(entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}

function failure(document: GraphDocument): string {
  try {
    buildDocumentGraph(document);
  } catch (error) {
    return `${Reflect.get(error as object, 'codeName')}: ${(error as Error).message}`;
  }
  return 'none';
}

describe('the graph of a document', () => {
  it('has the nodes of the document under their names, pinned where they are pinned', () => {
    const nodes = nodesOf(regression);
    expect(nodes).toMatchObject({
      weight: 'VariableV2 /job:canshu/task:0',
      mul: 'Mul /job:gongzuo/task:0 weight/read x',
      prediction: 'AddV2 /job:gongzuo/task:0 mul bias/read',
      loss: 'Mean /job:gongzuo/task:0 square Const',
      train: expect.stringMatching(/^NoOp \/job:gongzuo\/task:1 \^/),
      'train/update_weight/ApplyGradientDescent': expect.stringMatching(/^ApplyGradientDescent \/job:canshu\/task:0 weight /),
    });
    expect(regression.nodes.filter(({ name }) => nodes[name] === undefined)).toEqual([]);
  });

  it('is the same in whatever order the document has its nodes', () => {
    const expected = nodesOf(regression);
    const { nodes } = regression;
    for (const order of [
      nodes.toReversed(),
      [...nodes.slice(5), ...nodes.slice(0, 5)],
      [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ]) {
      expect(nodesOf({ ...regression, nodes: order })).toEqual(expected);
    }
  });

  it('gives way to the names of the document where it makes nodes of its own', () => {
    const nodes = nodesOf(documentOf(variable('w', 1), op('w/read', 'NoOp'), op('Const', 'Neg', 'w'), op('w/Assign', 'Neg', 'w')));
    expect(nodes).toMatchObject({
      'w/read': 'NoOp ',
      'w/read_1': 'Identity  w',
      'w/Assign_1': expect.stringMatching(/^Assign/),
      Const: 'Neg  w/read_1',
    });
  });

  it('tells names apart that differ in the case of letters only', () => {
    expect(Object.keys(nodesOf(documentOf(constant('X', 1), constant('x', 2))))).toEqual(['X', 'x']);
  });

  it('has the control edges of the document', () => {
    const nodes = nodesOf(
      documentOf(variable('w', 1), constant('one', 1), op('up', 'AssignAdd', 'w', 'one'), {
        ...op('seen', 'Identity', 'w'),
        control: ['up'],
      }),
    );
    expect(nodes['seen']).toBe('Identity  w/read ^up');
  });

  it('lets an op write to a variable, and others read it', () => {
    expect(nodesOf(documentOf(variable('w', 1), op('up', 'AssignAdd', 'w', 'w')))['up']).toBe('AssignAdd  w w/read');
  });

  it('averages gradients of several losses and applies the mean', () => {
    const shard = (i: number) => [
      { ...op(`error_${i}`, 'Mul', 'w', `x_${i}`), device: `/job:worker/task:${i}` },
      constant(`x_${i}`, i + 1),
      { name: `gradients_${i}`, kind: 'gradients', of: `error_${i}`, by: ['w'], device: `/job:worker/task:${i}` },
    ];
    const nodes = nodesOf(
      documentOf(
        variable('w', 1),
        ...shard(0),
        ...shard(1),
        op('sum', 'AddN', ['gradients_0', 'gradients_1']),
        constant('half', 0.5),
        op('mean', 'Mul', 'sum', 'half'),
        descent('train', { variables: ['w'], gradients: ['mean'] }),
      ),
    );
    expect(nodes['train/update_w/ApplyGradientDescent']).toBe('ApplyGradientDescent  w train/learning_rate mean');
    expect(nodes['gradients_0']).toMatch(/^NoOp \/job:worker\/task:0 \^/);
  });

  it.each([
    ['Momentum', ['w/Assign', 'w/Momentum/Assign']],
    ['Adam', ['w/Assign', 'beta1_power/Assign', 'beta2_power/Assign', 'w/Adam/Assign', 'w/Adam_1/Assign']],
  ])('has the slots of %s, and their initializers in the plan', (optimizer, initialize) => {
    const document = documentOf(variable('w', 1), { name: 'train', kind: 'optimizer', optimizer, learningRate: 0.1, loss: 'w' });
    expect(buildDocumentGraph(document).plan.initialize).toEqual(initialize);
  });

  it('trains all variables that may be trained, or those that are named', () => {
    const frozen = { ...variable('f', 1), trainable: false };
    const base = [descent('train', { loss: 'y' }), op('y', 'AddN', ['w', 'v', 'f']), variable('w', 1), variable('v', 1), frozen];
    const updates = (document: GraphDocument) => Object.keys(nodesOf(document)).filter((name) => name.endsWith('/ApplyGradientDescent'));
    expect(updates(documentOf(...base))).toHaveLength(2);
    expect(updates(documentOf(...base.slice(1), descent('train', { loss: 'y', variables: ['v'] })))).toEqual([
      'train/update_v/ApplyGradientDescent',
    ]);
  });

  it('holds long integers, NaN and tensors in attrs exactly', () => {
    const { graph } = buildDocumentGraph(
      documentOf(constant('big', ['9007199254740993'], 'int64'), constant('nan', ['NaN', '-Infinity']), {
        ...op('raw', 'Const'),
        attrs: { dtype: 'float', value: { dtype: 'float', value: [[1.5, 2]] } },
      }),
    );
    const attrOf = (name: string) => graph.nodes.get(name)?.attrs['value']?.value;
    expect(attrOf('big')).toMatchObject({ value: { tensorShape: { dim: [{ size: 1n }] } } });
    expect(graph.nodes.get('raw')?.output().shape).toEqual([1, 2]);
    const bytes = graph.toDef().node.find(({ name }) => name === 'big')?.attr['value']?.value;
    const content = bytes?.case === 'tensor' ? bytes.value : undefined;
    const held =
      content && content.tensorContent.length > 0 ? new BigInt64Array(content.tensorContent.slice().buffer)[0] : content?.int64Val[0];
    expect(held).toBe(9007199254740993n);
  });
});

describe('the plan of a document', () => {
  it('initializes its variables and does what its settings say', () => {
    const { plan, cluster } = buildDocumentGraph(regression);
    expect(plan).toMatchObject({
      initialize: ['weight/Assign', 'bias/Assign'],
      targets: ['train'],
      watch: ['weight', 'bias'],
      steps: 1000,
    });
    expect(cluster).toEqual({ canshu: 2, gongzuo: 2 });
  });

  it('feeds values as JSON', () => {
    const document = documentOf({ name: 'p', kind: 'placeholder' });
    const run = { ...document.run, feeds: { p: [1, 'NaN'] } };
    expect(buildDocumentGraph({ ...document, run }).plan.feeds).toEqual({ p: '[1,"NaN"]' });
  });
});

describe('a document that is no graph yet is refused with the name of its node:', () => {
  it.each([
    [
      'something is missing',
      [op('y', 'Neg', null)],
      /^INVALID_ARGUMENT: The document 'test' is not complete: y needs something connected to 'x'$/,
    ],
    ['several things', [op('y', 'Mul', null, null)], /y needs something connected to 'x' \(and 1 more\)$/],
    ['a circle', [op('a', 'Neg', 'b'), op('b', 'Neg', 'a')], /a, b need each other in a circle/],
    [
      'a loss that no variable decides',
      [variable('w', 1), constant('c', 1), descent('train', { loss: 'c' })],
      /^INVALID_ARGUMENT: Node 'train' of the document: No gradients provided/,
    ],
    [
      'a gradient that there is not',
      [variable('w', 1), constant('c', 1), { name: 'g', kind: 'gradients', of: 'c', by: ['w'] }],
      /Node 'g' of the document: 'c' does not depend on 'w'/,
    ],
    [
      'an output that is no more',
      [constant('a', 0, 'int32'), constant('x', [1, 2]), { ...op('s', 'Split', 'a', 'x'), attrs: { num_split: 2 } }, op('y', 'Neg', 's:2')],
      /'s:2' is connected to 'x', but s has 2 outputs/,
    ],
  ])('%s', (_name, nodes, message) => {
    expect(failure(documentOf(...nodes))).toMatch(message);
  });
});
