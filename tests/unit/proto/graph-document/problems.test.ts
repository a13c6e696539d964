import { describe, expect, it } from 'vitest';
import { analyze, outputOf } from '../../../../proto/graph-document/analysis.ts';
import type { GraphDocument } from '../../../../proto/graph-document/document.ts';
import { findProblems } from '../../../../proto/graph-document/find-problems.ts';
import { CONTROL_SLOT, joinProblem } from '../../../../proto/graph-document/join.ts';
import { problemText } from '../../../../proto/graph-document/problem.ts';
import { typeText } from '../../../../proto/graph-document/tensor-type.ts';
import { constant, documentOf, nodeOf, op, variable } from './documents.ts';

const textsOf = (document: GraphDocument) =>
  findProblems({ ...document, run: { ...document.run, fetches: document.nodes.slice(0, 1).map(({ name }) => name) } }).map(problemText);

function typeOf(document: GraphDocument, reference: string): string {
  const type = outputOf(analyze(document).typings, reference);
  return type ? typeText(type) : 'none';
}

const x = constant('x', [1, 2, 3]);
const n = constant('n', [1, 2], 'int32');

describe('types and shapes follow from what is connected', () => {
  it.each([
    ['a constant', [x], 'x', 'float[3]'],
    ['a constant that fills its shape', [{ ...constant('f', 2), shape: [2, 2] }], 'f', 'float[2,2]'],
    ['a placeholder', [{ name: 'p', kind: 'placeholder', dtype: 'string', shape: [-1, 3] }], 'p', 'string[?,3]'],
    ['a variable', [{ name: 'v', kind: 'variable', shape: [4], initial: { initializer: 'zeros' } }], 'v', 'float[4]'],
    ['a broadcast', [x, constant('m', [[1], [2]]), op('y', 'Mul', 'x', 'm')], 'y', 'float[2,3]'],
    ['an attr', [x, { ...op('y', 'Cast', 'x'), attrs: { DstT: 'int64' } }], 'y', 'int64[3]'],
    ['nothing yet', [op('y', 'Mul', null, null)], 'y', '?[…]'],
    ['one of two inputs', [x, op('y', 'Mul', 'x', null)], 'y', 'float[…]'],
    ['a constant shape', [x, constant('s', [3, 1], 'int32'), op('y', 'Reshape', 'x', 's')], 'y', 'float[3,1]'],
    [
      'a shape that is put together',
      [x, constant('k', 3, 'int32'), op('s', 'Pack', ['k', 'k']), op('y', 'Fill', 's', 'k')],
      'y',
      'int32[3,3]',
    ],
    ['a shape that is asked for', [x, op('s', 'Shape', 'x'), constant('z', 1), op('y', 'Fill', 's', 'z')], 'y', 'float[3]'],
    ['a list', [x, op('y', 'AddN', ['x', 'x', 'x'])], 'y', 'float[3]'],
    ['a reduction over all axes', [x, { name: 'y', kind: 'reduce', op: 'Mean', input: 'x' }], 'y', 'float[]'],
    [
      'a reduction over one axis',
      [constant('m', [[1, 2, 3]]), { name: 'y', kind: 'reduce', op: 'Sum', input: 'm', axes: [0] }],
      'y',
      'float[3]',
    ],
    ['several outputs', [constant('a', 0, 'int32'), x, { ...op('y', 'Split', 'a', 'x'), attrs: { num_split: 3 } }], 'y:2', 'float[…]'],
    [
      'a gradient',
      [variable('v', [1, 2]), { name: 'l', kind: 'reduce', op: 'Sum', input: 'v' }, { name: 'g', kind: 'gradients', of: 'l', by: ['v'] }],
      'g',
      'float[2]',
    ],
    ['nodes in any order', [op('y', 'Neg', 'z'), op('z', 'Neg', 'x'), x], 'y', 'float[3]'],
  ])('%s', (_name, nodes, reference, type) => {
    expect(typeOf(documentOf(...nodes), reference)).toBe(type);
  });
});

describe('what is wrong is said with the names of the document:', () => {
  it.each([
    [[x, n, op('mul', 'Mul', 'x', 'n')], ['mul needs inputs of one dtype: x is float, n is int32']],
    [
      [
        constant('a', [
          [1, 2, 3],
          [1, 2, 3],
        ]),
        constant('b', [[1, 2, 3, 4, 5]]),
        op('m', 'MatMul', 'a', 'b'),
      ],
      ['shapes [2,3], [1,5] do not fit together in m (MatMul): Dimensions must be equal, but are 3 and 1'],
    ],
    [[x, op('s', 'Sqrt', null)], ["s needs something connected to 'x'"]],
    [[op('s', 'Neg', 'ghost')], ["s: 'ghost' is connected to 'x', but there is no such node; connect another one"]],
    [[x, op('s', 'Neg', 'x:3')], ["s: 'x:3' is connected to 'x', but x has 1 output"]],
    [
      [constant('t', 'hi', 'string'), op('s', 'Neg', 't')],
      [expect.stringMatching(/^s cannot work with string, which t is; Neg takes bfloat16, half/)],
    ],
    [[x, op('a', 'AssignAdd', 'x', 'x')], ["a changes a variable, so 'ref' must be a variable, which x is not"]],
    [[x, op('e', 'Sum', 'x', 'x')], ['e cannot work with float, which x is; Sum takes int32, int64']],
    [[op('c', 'LogicalNot', 'x'), x], ["c takes bool as 'x', but x is float"]],
    [[op('u', 'Mull', 'x')], ["u: nobody knows an op 'Mull'; choose one from the palette"]],
    [[x, op('c', 'Cast', 'x')], ["c needs a value for attr 'DstT'"]],
    [[x, { ...op('c', 'Cast', 'x'), attrs: { DstT: 'floot' } }], ['c: attr \'DstT\': "floot" is no type']],
    [[x, { ...op('c', 'Neg', 'x'), attrs: { speed: 1 } }], ["c: attr 'speed': Neg has no such attr; remove it"]],
    [[constant('k', [1, [2]])], ['k: all elements of a list must have the same depth']],
    [[constant('k', 3e9, 'int32')], ['k: 3000000000 is beyond int32, which goes from -2147483648 to 2147483647']],
    [[{ ...constant('k', [1, 2, 3]), shape: [2] }], ['k: shape [2] has 2 elements, but the value has 3']],
    [[{ name: 'v', kind: 'variable', initial: { initializer: 'zeros' } }], ['v needs a shape for its initializer to fill']],
    [
      [op('a', 'Neg', 'b'), op('b', 'Neg', 'c'), op('c', 'Neg', 'a')],
      ['a, b, c need each other in a circle; take one of the connections away'],
    ],
    [[{ ...x, name: 'bad name' }], [expect.stringMatching(/^'bad name' is no name for a node/)]],
    [
      [{ ...x, device: '/job:worker/task:2' }],
      ['x is pinned to /job:worker/task:2, but the cluster has no such task; pin it elsewhere or add the task'],
    ],
    [[{ name: 'p', kind: 'placeholder' }], ['p has no value; give it one, or nothing that needs it can run']],
    [[x, { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, loss: 'x' }], ['o has no variables to train; add a variable']],
    [[variable('v', 1), { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1 }], ['o needs either a loss or gradients']],
    [
      [variable('v', 1), x, { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, loss: 'v', variables: ['x'] }],
      ['o trains variables, which x is not'],
    ],
    [
      [variable('v', 1), { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, variables: ['v'], gradients: ['v', 'v'] }],
      ['o needs one gradient for each of its variables, in their order: 2 gradients, 1 variables'],
    ],
    [
      [variable('i', 1, 'int32'), { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, loss: 'i' }],
      [expect.stringMatching(/^o cannot work with int32, which i is; Adam takes float/)],
    ],
    [[{ ...op('a', 'NoOp'), control: ['gone'] }], ["a runs after 'gone', but there is no such node"]],
    [
      [variable('v', 1), { name: 'o', kind: 'optimizer', optimizer: 'Adam', learningRate: 1, loss: 'v' }, op('a', 'Neg', 'o')],
      ['o gives no tensor; it can only be a node that runs before a'],
    ],
  ])('%#', (nodes, texts) => {
    expect(textsOf(documentOf(...nodes))).toEqual(texts);
  });

  it('nothing of a document that is right', () => {
    expect(textsOf(documentOf(x, variable('v', [0, 0, 0]), op('m', 'Mul', 'x', 'v'), op('a', 'AssignAdd', 'v', 'm')))).toEqual([]);
  });

  it('a step that does nothing, and names in the settings that no node has', () => {
    const document = documentOf(x);
    expect(findProblems(document).map(problemText)).toEqual([expect.stringMatching(/^a step has nothing to do/)]);
    const run = { ...document.run, fetches: ['x', 'y'], watch: ['x[1]', 'x/read'] };
    expect(findProblems({ ...document, run }).map(problemText)).toEqual(["the document's settings name 'y', but there is no such node"]);
  });

  it('two nodes of one name, if ever a document has them', () => {
    const document = documentOf(x);
    expect(textsOf({ ...document, nodes: [...document.nodes, ...document.nodes] })).toEqual([
      "two nodes are named 'x'; rename one of them",
    ]);
  });
});

describe('a connection', () => {
  const document = documentOf(x, n, op('mul', 'Mul', 'x', null), op('neg', 'Neg', 'mul'), op('m', 'MatMul', null, null), variable('v', 1), {
    name: 'o',
    kind: 'optimizer',
    optimizer: 'Adam',
    learningRate: 1,
    loss: 'neg',
  });
  const reason = (from: string, node: string, slot: number) => {
    const found = joinProblem(analyze(document), from, { node, slot });
    return found && problemText(found);
  };

  it('may be made where it fits, also in place of another', () => {
    expect([reason('x', 'mul', 1), reason('n', 'neg', 0), reason('v', 'o', 1), reason('o', 'neg', CONTROL_SLOT)]).toEqual([
      undefined,
      undefined,
      undefined,
      expect.anything(),
    ]);
  });

  it('is refused in one line where it does not', () => {
    expect(reason('n', 'mul', 1)).toBe('mul needs inputs of one dtype: x is float, n is int32');
    expect(reason('neg', 'mul', 1)).toBe('mul already leads to neg: the connection would close a circle');
    expect(reason('o', 'm', 0)).toBe('o gives no tensor; it can only be a node that runs before m');
    expect(reason('x', 'm', 0)).toMatch(/^shapes \[3\], <unknown> do not fit together in m \(MatMul\): Shape must be rank 2/);
  });
});

describe('while a node is dragged', () => {
  it('only what has changed is looked at again', () => {
    const document = documentOf(x, op('a', 'Neg', 'x'), op('b', 'Neg', 'a'));
    const before = analyze(document);
    const nodes = document.nodes.map((node) => (node.name === 'a' ? { ...node, device: '/job:worker' } : node));
    const after = analyze({ nodes }, before);
    expect(after.typings.get('b')).toBe(before.typings.get('b'));
    expect(after.typings.get('a')?.node).toBe(nodeOf({ ...document, nodes }, 'a'));
  });

  it('in a document of 200 nodes everything else stays as it was', () => {
    const chain = Array.from({ length: 200 }, (_, i) => op(`n${i}`, 'AddV2', i === 0 ? 'x' : `n${i - 1}`, 'x'));
    const document = documentOf(x, ...chain);
    let before = analyze(document);
    for (let i = 0; i < 50; i++) {
      const nodes = document.nodes.map((node) => (node.name === `n${i}` ? { ...node, x: i + 1 } : node));
      const after = analyze({ nodes }, before);
      const renewed = [...after.typings.keys()].filter((name) => after.typings.get(name) !== before.typings.get(name));
      // The one that was moved, and the one that was put back where it had been.
      expect(renewed).toEqual(i === 0 ? ['n0'] : [`n${i - 1}`, `n${i}`]);
      before = after;
    }
  });
});
