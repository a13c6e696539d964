import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { INDICES, indices, NUMBERS, numericTensor, numericType } from './numeric-types.ts';

/** Is the class wanted among the k best of its row? Rows with values that cannot be ranked never are. */
function inTopK([predictions, targets]: readonly [Tensor<'float'>, Tensor], k: number): Tensor {
  if (predictions.shape.length !== 2) throw invalidArgument('predictions must be 2-dimensional');
  if (targets.shape.length !== 1) throw invalidArgument('targets must be 1-dimensional');
  const [rows, classes] = predictions.shape as readonly [number, number];
  const wanted = indices(targets);
  if (rows !== wanted.length) {
    throw invalidArgument(`First dimension of predictions ${rows} must match length of targets ${wanted.length}`);
  }
  const data = allocate('bool', rows);
  for (let row = 0; row < rows; row++) {
    const values = predictions.data.subarray(row * classes, (row + 1) * classes);
    const value = values[wanted[row] as number];
    if (value === undefined || !values.every(Number.isFinite)) continue;
    data[row] = values.filter((each) => each > value).length < k ? 1 : 0;
  }
  return { dtype: 'bool', shape: [rows], data };
}

const inTopKV1: PureKernelSpec = {
  kind: 'pure',
  op: 'InTopK',
  types: { T: INDICES },
  compute: (inputs, attrs) => [inTopK(inputs as readonly [Tensor<'float'>, Tensor], attrs.int('k'))],
};

const inTopKV2: PureKernelSpec = {
  kind: 'pure',
  op: 'InTopKV2',
  types: { T: INDICES },
  compute(inputs) {
    const [predictions, targets, k] = inputs as readonly [Tensor<'float'>, Tensor, Tensor];
    if (k.shape.length > 0) throw invalidArgument(`k must be 0-D, got shape ${shapeText(k.shape)}`);
    return [inTopK([predictions, targets], indices(k)[0] as number)];
  },
};

const INDEX_TYPES = ['int16', 'int32', 'int64'] as const satisfies readonly DType[];

/** The k largest of each row, largest first, and of equals the one that stands first. */
const topK: PureKernelSpec = {
  kind: 'pure',
  op: 'TopKV2',
  types: { T: NUMBERS, Tk: INDEX_TYPES, index_type: INDEX_TYPES },
  cost: ([x]) => 50 * sizeOf((x as Tensor).shape),
  compute(inputs, attrs) {
    const [x, kTensor] = inputs as readonly [Tensor, Tensor];
    const columns = x.shape.at(-1) ?? 0;
    const k = requireK(x.shape, kTensor);
    const shape = [...x.shape.slice(0, -1), k];
    const { widen, create } = numericType(x.dtype);
    const values = widen(x);
    const best = create(sizeOf(shape));
    const places = allocate(attrs.type('index_type') as (typeof INDEX_TYPES)[number], best.length);
    for (let to = 0, from = 0; to < best.length; to += k, from += columns) {
      const row = Array.from({ length: columns }, (_, index) => index);
      row.sort((i, j) => compare(values[from + j] as number, values[from + i] as number) || i - j);
      for (let rank = 0; rank < k; rank++) {
        best[to + rank] = values[from + (row[rank] as number)] as never;
        places[to + rank] = (places instanceof BigInt64Array ? BigInt(row[rank] as number) : row[rank]) as never;
      }
    }
    return [numericTensor(x.dtype, shape, best), { dtype: attrs.type('index_type'), shape, data: places }];
  },
};

function compare(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function requireK(shape: readonly number[], tensor: Tensor): number {
  if (tensor.shape.length > 0) throw invalidArgument(`k must be scalar, got shape ${shapeText(tensor.shape)}`);
  const [k] = indices(tensor) as [number];
  if (k < 0) throw invalidArgument(`Need k >= 0, got ${k}`);
  if (shape.length === 0) throw invalidArgument(`input must be >= 1-D, got shape ${shapeText(shape)}`);
  const columns = shape.at(-1) as number;
  if (columns < k) throw invalidArgument(`input must have at least k columns. Had ${columns}, needed ${k}`);
  return k;
}

export const topKKernels: readonly PureKernelSpec[] = [inTopKV1, inTopKV2, topK];
