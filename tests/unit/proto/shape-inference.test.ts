import { describe, expect, it } from 'vitest';
import type { PartialShape } from '#proto/wire/attr.ts';
import { Graph, type Output } from '../../../main/client/index.ts';

/** Static shapes as the client library sees them; expected values are TensorFlow's. */
const cases: Readonly<Record<string, readonly [(g: Graph) => Output, PartialShape]>> = {
  'broadcast of unknown dimensions': [(g) => g.add(g.placeholder('float', [-1, 1]), g.zeros([4, 3])), [4, 3]],
  'broadcast against a scalar': [(g) => g.mul(g.placeholder('float', [-1, 2]), 2), [-1, 2]],
  'anything with an unknown rank': [(g) => g.add(g.placeholder('float'), 1), undefined],
  'matmul, transposed': [
    (g) => g.matmul(g.zeros([5, 2]), g.placeholder('float', [-1, 5]), { transposeA: true, transposeB: true }),
    [2, -1],
  ],
  'batch matmul': [(g) => g.matmul(g.zeros([7, 1, 2, 3]), g.zeros([4, 3, 5])), [7, 4, 2, 5]],
  'sum over an axis': [(g) => g.reduceSum(g.placeholder('float', [-1, 3]), 0), [3]],
  'sum, kept': [(g) => g.reduceSum(g.placeholder('float', [-1, 3]), -1, { keepDims: true }), [-1, 1]],
  'sum of everything': [(g) => g.reduceSum(g.placeholder('float', [-1, 3])), []],
  argMax: [(g) => g.argMax(g.zeros([4, 3]), 1), [4]],
  'reshape with a hole': [(g) => g.reshape(g.zeros([4, 3]), [2, -1]), [2, 6]],
  'reshape of an unknown size': [(g) => g.reshape(g.placeholder('float', [-1, 3]), [-1, 6]), [-1, 6]],
  transpose: [(g) => g.transpose(g.placeholder('float', [-1, 2, 3]), [2, 0, 1]), [3, -1, 2]],
  expandDims: [(g) => g.expandDims(g.zeros([2, 3]), -1), [2, 3, 1]],
  squeeze: [(g) => g.squeeze(g.zeros([1, 2, 1])), [2]],
  concat: [(g) => g.concat([g.placeholder('float', [-1, 2]), g.zeros([3, 4])], 1), [3, 6]],
  stack: [(g) => g.stack([g.zeros([2]), g.placeholder('float', [-1])], 1), [2, 2]],
  unstack: [(g) => g.unstack(g.zeros([2, 3]), 1)[2] as Output, [2]],
  'slice to the end': [(g) => g.slice(g.zeros([5, 5]), [1, 2], [2, -1]), [2, 3]],
  'strided slice': [(g) => g.stridedSlice(g.zeros([10, 4]), [-3, 0], [0, 4], { endMask: 1, strides: [2, 1], shrinkAxisMask: 2 }), [2]],
  'strided slice with an ellipsis': [(g) => g.stridedSlice(g.zeros([2, 3, 4]), [0, 1], [0, 2], { ellipsisMask: 1 }), [2, 3, 1]],
  gather: [(g) => g.gather(g.zeros([5, 2]), [[0, 1, 2]]), [1, 3, 2]],
  tile: [(g) => g.tile(g.placeholder('float', [-1, 2]), [2, 3]), [-1, 6]],
  pad: [
    (g) =>
      g.pad(g.zeros([2, 3]), [
        [1, 1],
        [0, 2],
      ]),
    [4, 5],
  ],
  oneHot: [(g) => g.oneHot([0, 1], 4), [2, 4]],
  range: [(g) => g.range(1, 10, 4), [3]],
  'random of a computed shape': [(g) => g.randomUniform(g.op('Shape', [g.placeholder('float', [-1, -1])]).output()), [-1, -1]],
  'cross entropy': [(g) => g.softmaxCrossEntropyWithLogits({ logits: g.zeros([4, 3]), labels: g.zeros([4, 3]) }), [4]],
  'a resource variable': [(g) => g.variable('v', g.zeros([2, 3]), { resource: true }).value(), [2, 3]],
  'an op without a shape function': [(g) => g.op('Unique', [[1, 2, 2]]).output(0), undefined],
};

describe('the static shape of', () => {
  it.each(Object.entries(cases))('%s', (_name, [make, shape]) => {
    expect(make(new Graph()).shape).toEqual(shape);
  });
});

describe('shapes that cannot be right are refused:', () => {
  it.each([
    [
      'add',
      (g: Graph) => g.add(g.zeros([2, 3]), g.zeros([4])),
      "Dimensions must be equal, but are 3 and 4 for 'Add' (op: 'AddV2') with input shapes: [2,3], [4].",
    ],
    ['reshape', (g: Graph) => g.reshape(g.zeros([4]), [3]), 'Cannot reshape a tensor with 4 elements to shape [3] (3 elements)'],
    ['concat', (g: Graph) => g.concat([g.zeros([2, 2]), g.zeros([3, 3])], 0), 'Dimensions must be equal, but are 2 and 3'],
    ['sum', (g: Graph) => g.reduceSum(g.zeros([2]), 1), 'Axis must be in the range [-1, 1), but is 1'],
    ['squeeze', (g: Graph) => g.squeeze(g.zeros([2]), [0]), 'Can not squeeze dim[0], expected a dimension of 1, got 2'],
    ['assign', (g: Graph) => g.variable('v', [1, 2]).assign([1, 2, 3]), 'Dimensions must be equal, but are 2 and 3'],
  ])('%s', (_name, make, message) => {
    expect(() => make(new Graph())).toThrow(message);
  });
});
