import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastIndices, commonShape } from './broadcast.ts';
import { FLOATS, type FloatArray, INDICES, indices, numericTensor, numericType } from './numeric-types.ts';

/** Exponentials cost much more than an addition. */
const WEIGHT = 20;

/** The largest element of a row and the logarithm of the sum of the exponentials of the others' distances to it. */
function rowStatistics(values: FloatArray, from: number, classes: number): { max: number; logSum: number } {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = from; i < from + classes; i++) max = Math.max(max, values[i] as number);
  let sum = 0;
  for (let i = from; i < from + classes; i++) sum += Math.exp((values[i] as number) - max);
  return { max, logSum: Math.log(sum) };
}

function softmaxKernel(op: string, log: boolean): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: FLOATS },
    cost: ([logits]) => WEIGHT * sizeOf((logits as Tensor).shape),
    compute(inputs) {
      const [logits] = inputs as readonly [Tensor];
      if (logits.shape.length === 0) throw invalidArgument(`logits must have >= 1 dimension, got ${shapeText(logits.shape)}`);
      const { widen, create } = numericType(logits.dtype);
      const values = widen(logits) as FloatArray;
      const out = create(values.length);
      const classes = logits.shape.at(-1) as number;
      for (let from = 0; from < values.length; from += classes) {
        const { max, logSum } = rowStatistics(values, from, classes);
        for (let i = from; i < from + classes; i++) {
          const logProbability = (values[i] as number) - max - logSum;
          out[i] = log ? logProbability : Math.exp(logProbability);
        }
      }
      return [numericTensor(logits.dtype, logits.shape, out)];
    },
  };
}

const crossEntropy: PureKernelSpec = {
  kind: 'pure',
  op: 'SoftmaxCrossEntropyWithLogits',
  types: { T: FLOATS },
  cost: (inputs) => WEIGHT * Math.max(...inputs.map(({ shape }) => sizeOf(shape))),
  compute(inputs) {
    const [logits, labels] = inputs as readonly [Tensor, Tensor];
    const shape = crossEntropyShape(logits.shape, labels.shape);
    const [rows, classes] = shape;
    const { widen, create } = numericType(logits.dtype);
    const x = broadcastTo(widen(logits) as FloatArray, logits.shape, shape);
    const y = broadcastTo(widen(labels) as FloatArray, labels.shape, shape);
    const loss = create(rows);
    const gradient = create(rows * classes);
    for (let row = 0, from = 0; row < rows; row++, from += classes) {
      const { max, logSum } = rowStatistics(x, from, classes);
      let sum = 0;
      for (let i = from; i < from + classes; i++) {
        const logProbability = (x[i] as number) - max - logSum;
        sum -= (y[i] as number) * logProbability;
        gradient[i] = Math.exp(logProbability) - (y[i] as number);
      }
      loss[row] = sum;
    }
    return [numericTensor(logits.dtype, [rows], loss), numericTensor(logits.dtype, shape, gradient)];
  },
};

function crossEntropyShape(logits: readonly number[], labels: readonly number[]): readonly [number, number] {
  const shape = commonShape(logits, labels);
  if (!shape) {
    throw invalidArgument(`logits and labels must be broadcastable: logits_size=${shapeText(logits)} labels_size=${shapeText(labels)}`);
  }
  if (shape.length !== 2) throw invalidArgument('logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional');
  return shape as unknown as readonly [number, number];
}

function broadcastTo(values: FloatArray, from: readonly number[], shape: readonly number[]): FloatArray {
  const index = broadcastIndices(from, shape);
  return index ? Float64Array.from(index, (i) => values[i] as number) : values;
}

const sparseCrossEntropy: PureKernelSpec = {
  kind: 'pure',
  op: 'SparseSoftmaxCrossEntropyWithLogits',
  types: { T: FLOATS, Tlabels: INDICES },
  cost: ([logits]) => WEIGHT * sizeOf((logits as Tensor).shape),
  compute(inputs) {
    const [logits, labels] = inputs as readonly [Tensor, Tensor];
    const [rows, classes] = sparseShape(logits.shape, labels.shape);
    const chosen = indices(labels);
    requireLabels(chosen, classes);
    const { widen, create } = numericType(logits.dtype);
    const x = widen(logits) as FloatArray;
    const loss = create(rows);
    const gradient = create(x.length);
    for (let row = 0, from = 0; row < rows; row++, from += classes) {
      const { max, logSum } = rowStatistics(x, from, classes);
      const label = from + (chosen[row] as number);
      loss[row] = logSum + max - (x[label] as number);
      for (let i = from; i < from + classes; i++) gradient[i] = Math.exp((x[i] as number) - max - logSum) - (i === label ? 1 : 0);
    }
    return [numericTensor(logits.dtype, [rows], loss), numericTensor(logits.dtype, logits.shape, gradient)];
  },
};

function sparseShape(logits: readonly number[], labels: readonly number[]): readonly [number, number] {
  if (logits.length !== 2) throw invalidArgument(`logits must be 2-D, but got shape ${shapeText(logits)}`);
  if (labels.length !== 1) throw invalidArgument(`labels must be 1-D, but got shape ${shapeText(labels)}`);
  const [rows, classes] = logits as readonly [number, number];
  if (rows !== labels[0]) {
    throw invalidArgument(
      `logits and labels must have the same first dimension, got logits shape ${shapeText(logits)} and labels shape ${shapeText(labels)}`,
    );
  }
  if (classes === 0) throw invalidArgument(`Must have at least one class, but got logits shape ${shapeText(logits)}`);
  return [rows, classes];
}

function requireLabels(labels: readonly number[], classes: number): void {
  const bad = labels.find((label) => label < 0 || label >= classes);
  if (bad === undefined) return;
  throw invalidArgument(
    `Received a label value of ${bad} which is outside the valid range of [0, ${classes}).  Label values: ${labels.join(' ')}`,
  );
}

export const softmaxKernels: readonly PureKernelSpec[] = [
  softmaxKernel('Softmax', false),
  softmaxKernel('LogSoftmax', true),
  crossEntropy,
  sparseCrossEntropy,
];
