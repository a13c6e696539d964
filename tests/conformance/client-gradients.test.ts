import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeGraphDef, Graph, type Output } from '../../main/client/index.ts';
import { python, requirePython, withTensorFlow } from '../support/python.ts';

type Formula = (g: Graph, x: Output, y: Output) => Output;

/** A 2×3 input with numbers of both signs, and a positive one; `unknown` hides the static shape. */
const matrix = [
  [0.5, -1.25, 2],
  [1.5, 0.75, -0.5],
];
const positive = [
  [0.3, 1.25, 2],
  [1.5, 0.75, 0.6],
];

const unaryNames = [
  'neg',
  'abs',
  'square',
  'exp',
  'expm1',
  'sin',
  'cos',
  'tan',
  'sinh',
  'cosh',
  'tanh',
  'sigmoid',
  'erf',
  'relu',
  'relu6',
  'elu',
  'softplus',
  'softsign',
  'softmax',
  'logSoftmax',
  'reciprocal',
  'identity',
  'l2Loss',
  'reduceSum',
  'reduceMean',
  'reduceMax',
  'reduceMin',
  'reduceProd',
  'cumsum',
  'transpose',
] as const;
const positiveNames = ['sqrt', 'rsqrt', 'log', 'log1p'] as const;
const binaryNames = ['add', 'sub', 'mul', 'div', 'divNoNan', 'maximum', 'minimum', 'squaredDifference', 'floorMod'] as const;

const formulas: Readonly<Record<string, Formula>> = {
  ...Object.fromEntries(unaryNames.map((name): [string, Formula] => [name, (g, x) => g[name](x)])),
  ...Object.fromEntries(positiveNames.map((name): [string, Formula] => [name, (g, _x, y) => g[name](y)])),
  ...Object.fromEntries(binaryNames.map((name): [string, Formula] => [name, (g, x, y) => g[name](x, y)])),
  'mul by a row': (g, x) => g.mul(x, g.slice(x, [0, 0], [1, -1])),
  'div by a column': (g, x, y) => g.div(x, g.slice(y, [0, 1], [-1, 1])),
  'add a scalar': (g, x) => g.add(x, g.reduceSum(x)),
  pow: (g, x, y) => g.pow(y, x),
  'pow of negative numbers': (g, x) => g.pow(x, 2),
  'several paths': (g, x) => g.add(g.square(x), g.mul(g.sin(x), x)),
  stopGradient: (g, x) => g.mul(g.stopGradient(x), x),
  matmul: (g, x, y) => g.matmul(x, y, { transposeB: true }),
  'matmul with the first transposed': (g, x, y) => g.matmul(x, y, { transposeA: true }),
  'matmul with both transposed': (g, x, y) => g.matmul(g.reshape(x, [3, 2]), y, { transposeA: true, transposeB: true }),
  'batch matmul': (g, x, y) => g.matmul(g.stack([x, y]), g.reshape(y, [1, 3, 2])),
  'sum of rows': (g, x) => g.reduceSum(x, 1),
  'mean of columns, kept': (g, x) => g.mul(x, g.reduceMean(x, 0, { keepDims: true })),
  'mean along a negative axis': (g, x) => g.reduceMean(x, [-1]),
  'max of rows, with ties': (g, x) => g.reduceMax(g.relu6(g.mul(x, 10)), 1),
  'prod of columns, with a zero': (g, x) => g.reduceProd(g.relu(x), 0),
  cast: (g, x) => g.mul(g.cast(g.cast(x, 'double'), 'float'), x),
  reshape: (g, x, y) => g.mul(g.reshape(x, [3, 2]), g.reshape(y, [3, 2])),
  'transpose with a permutation': (g, x, y) => g.mul(g.transpose(g.stack([x, y]), [2, 0, 1]), 3),
  'expandDims and squeeze': (g, x) => g.mul(g.squeeze(g.expandDims(x, 1), [1]), x),
  concat: (g, x, y) => g.mul(g.concat([x, y, x], 1), 2),
  'concat along a negative axis': (g, x, y) => g.square(g.concat([x, y], -2)),
  'stack and unstack': (g, x, y) => g.mul(...(g.unstack(g.stack([x, y], 1), 1) as [Output, Output])),
  'split, one part used': (g, x) => g.square(g.split(x, 3, 1)[1] as Output),
  slice: (g, x) => g.square(g.slice(x, [0, 1], [2, 2])),
  stridedSlice: (g, x) => g.square(g.stridedSlice(x, [0, 0], [2, 3], { strides: [1, 2] })),
  'stridedSlice that drops a dimension': (g, x) => g.square(g.stridedSlice(x, [1, 0], [2, 3], { shrinkAxisMask: 1 })),
  pad: (g, x) =>
    g.square(
      g.pad(x, [
        [1, 0],
        [0, 2],
      ]),
    ),
  tile: (g, x) => g.mul(g.tile(x, [2, 2]), g.tile(x, [2, 2])),
  'gather of rows, twice the same': (g, x) => g.square(g.gather(x, [1, 0, 1])),
  'gather along another axis': (g, x) =>
    g.square(
      g.gather(
        x,
        [
          [2, 0],
          [2, 1],
        ],
        1,
      ),
    ),
  where: (g, x, y) => g.where(g.greater(x, 0), g.square(x), g.mul(y, 3)),
  'where with a scalar': (g, x) => g.where(g.greater(x, 0), x, g.reduceSum(x)),
  clipByValue: (g, x) => g.clipByValue(x, -1, 1),
  addN: (g, x, y) => g.addN([x, g.mul(x, y), y]),
  fill: (g, x) => g.mul(g.fill([2, 3], g.reduceSum(x)), x),
  biasAdd: (g, x) => g.square(g.biasAdd(x, g.reduceSum(x, 0))),
  softmaxCrossEntropyWithLogits: (g, x, y) => g.softmaxCrossEntropyWithLogits({ logits: x, labels: g.softmax(y) }),
  'cross entropy by the labels too': (g, x, y) => g.op('SoftmaxCrossEntropyWithLogits', [x, y]).output(0),
  sparseSoftmaxCrossEntropyWithLogits: (g, x) => g.sparseSoftmaxCrossEntropyWithLogits({ logits: x, labels: new Int32Array([2, 0]) }),
  sigmoidCrossEntropyWithLogits: (g, x, y) => g.sigmoidCrossEntropyWithLogits({ logits: x, labels: y }),
  'independent of y': (g, x) => g.mul(x, 2),
  'through whole numbers': (g, x) => g.mul(x, g.cast(g.cast(x, 'int32'), 'float')),
};

interface Case {
  readonly name: string;
  readonly graph: string;
  readonly y: string;
  readonly xs: readonly string[];
  readonly grads: readonly (string | null)[];
}

function makeCase(name: string, formula: Formula, known: boolean): Case {
  const g = new Graph();
  const input = (value: number[][]): Output => {
    const constant = g.constant(value);
    return known ? constant : g.placeholderWithDefault(constant, [-1, 3]);
  };
  const [x, y] = [input(matrix), input(positive)];
  const result = formula(g, x, y);
  const grads = g.gradients(result, [x, y]);
  return {
    name: `${name}${known ? '' : ', shape unknown'}`,
    graph: Buffer.from(encodeGraphDef(g.toDef())).toString('base64'),
    y: result.name,
    xs: [x.name, y.name],
    grads: grads.map((grad) => grad?.name ?? null),
  };
}

describe.skipIf(python === undefined)(withTensorFlow('gradients'), () => {
  it('are those of tf.gradients', () => {
    const cases = Object.entries(formulas).flatMap(([name, formula]) => [true, false].map((known) => makeCase(name, formula, known)));
    const script = fileURLToPath(new URL('../support/compare_gradients.py', import.meta.url));
    const output = execFileSync(requirePython(), [script], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    expect(JSON.parse(output)).toEqual({});
  });
});
