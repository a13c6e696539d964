import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { accumulator } from './array-accumulate.ts';
import { firstIndex, positionText } from './array-index.ts';
import { sameShape } from './broadcast.ts';
import { COMPLEX, indices, NUMBERS } from './numeric-types.ts';

function segmentSum([data, ids]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = data as Tensor;
  const given = ids as Tensor;
  if (given.shape.length !== 1) throw invalidArgument('segment_ids should be a vector.');
  if (given.data.length !== shape[0]) throw invalidArgument('segment_ids should be the same size as dimension 0 of input.');
  const segments = indices(given);
  const rows = segments.length > 0 ? (segments.at(-1) as number) + 1 : 0;
  for (const [at, segment] of segments.entries()) {
    if (at > 0 && segment < (segments[at - 1] as number)) throw invalidArgument('segment ids are not increasing');
    if (segment < 0) {
      throw invalidArgument(`Segment id ${segment} out of range [0, ${rows}), possibly because 'segment_ids' input is not sorted.`);
    }
  }
  return [summed(data as Tensor, segments, [rows, ...shape.slice(1)], dtype)];
}

function unsortedSegmentSum([data, ids, countTensor]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = data as Tensor;
  const given = ids as Tensor;
  const total = countTensor as Tensor;
  if (total.shape.length > 0) throw invalidArgument(`num_segments should be a scalar, not shape ${shapeText(total.shape)}`);
  const rank = given.shape.length;
  if (!sameShape(shape.slice(0, rank), given.shape)) {
    throw invalidArgument(`data.shape = ${shapeText(shape)} does not start with segment_ids.shape = ${shapeText(given.shape)}`);
  }
  const count = firstIndex(total);
  if (count < 0) throw invalidArgument(`Input num_segments == ${count} must not be negative.`);
  const segments = indices(given);
  const bad = segments.findIndex((segment) => segment >= count);
  if (bad >= 0) throw invalidArgument(`segment_ids${positionText(bad, given.shape)} = ${segments[bad]} is out of range [0, ${count})`);
  return [summed(data as Tensor, segments, [count, ...shape.slice(rank)], dtype)];
}

/** Rows of `data` added up by segment; rows of negative segments are dropped. */
function summed(data: Tensor, segments: readonly number[], shape: readonly number[], dtype: Tensor['dtype']): Tensor {
  const inner = sizeOf(shape.slice(1));
  const sums = accumulator(dtype, shape, data);
  for (const [row, segment] of segments.entries()) if (segment >= 0) sums.add(segment * inner, row * inner, inner);
  return sums.finish();
}

const types = { T: [...NUMBERS, ...COMPLEX] };

export const segmentKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'SegmentSum', types, compute: segmentSum },
  { kind: 'pure', op: 'UnsortedSegmentSum', types, compute: unsortedSegmentSum },
];
