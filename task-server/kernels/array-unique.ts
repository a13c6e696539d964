import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { indexTensor } from './array-index.ts';
import { gathered } from './gather.ts';
import { isHalf, toNumbers } from './half.ts';
import { indices } from './numeric-types.ts';

interface Grouping {
  /** Position of the first of each group of equal slices, in the order of appearance. */
  readonly first: number[];
  /** Group of each slice. */
  readonly group: number[];
  readonly counts: number[];
}

/** What tells two elements apart in a map's key: zeros of both signs are equal, a NaN equals nothing. */
function keysOf(tensor: Tensor): unknown[] {
  if (tensor.dtype === 'string') return (tensor as Tensor<'string'>).data.map((bytes) => Buffer.from(bytes).toString('latin1'));
  const values: readonly unknown[] = isHalf(tensor.dtype) ? [...toNumbers(tensor as Tensor<'half'>)] : [...(tensor.data as Float32Array)];
  return values.map((value) => (Number.isNaN(value) ? Symbol('NaN') : value === 0 ? 0 : value));
}

function group(keys: readonly unknown[]): Grouping {
  const known = new Map<unknown, number>();
  const first: number[] = [];
  const counts: number[] = [];
  const groups = keys.map((key, at) => {
    const found = known.get(key);
    if (found !== undefined) {
      counts[found] = (counts[found] as number) + 1;
      return found;
    }
    known.set(key, first.length);
    counts.push(1);
    return first.push(at) - 1;
  });
  return { first, group: groups, counts };
}

function outputs(tensor: Tensor, axis: number, { first, group: groups, counts }: Grouping, attrs: Attrs): Tensor[] {
  const index = attrs.type('out_idx');
  const unique = gathered(tensor, indexTensor('int32', first), { axis, batchDims: 0 });
  return [unique, indexTensor(index, groups), indexTensor(index, counts)];
}

function uniqueOfVector(tensor: Tensor, attrs: Attrs): Tensor[] {
  if (tensor.shape.length !== 1) throw invalidArgument('unique expects a 1D vector.');
  return outputs(tensor, 0, group(keysOf(tensor)), attrs);
}

function uniqueAlongAxis([tensor, axisTensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const input = tensor as Tensor;
  const axes = indices(axisTensor as Tensor);
  if (axes.length === 0) return uniqueOfVector(input, attrs);
  const rank = input.shape.length;
  const given = axes[0] as number;
  const axis = given < 0 ? given + rank : given;
  if (axes.length > 1) throw invalidArgument('axis does not support input tensors larger than 1 elements');
  if (axis < 0 || axis >= rank) throw invalidArgument(`axis has to be between [0, ${rank})`);
  if (rank === 1) return uniqueOfVector(input, attrs);
  return outputs(input, axis, group(sliceKeys(input, axis)), attrs);
}

/** One key for each slice across the axis; slices of numbers are told apart by the text of their elements. */
function sliceKeys(tensor: Tensor, axis: number): string[] {
  const { shape } = tensor;
  const keys = keysOf(tensor);
  const inner = sizeOf(shape.slice(axis + 1));
  const size = shape[axis] as number;
  const slices = Array.from({ length: size }, () => [] as string[]);
  for (const [at, key] of keys.entries()) slices[Math.floor(at / inner) % size]?.push(JSON.stringify(String(key)));
  return slices.map((parts) => parts.join());
}

const cost = ([tensor]: readonly Tensor[]) => 100 * (tensor as Tensor).data.length;

export const uniqueKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Unique', cost, compute: ([tensor], attrs) => uniqueOfVector(tensor as Tensor, attrs).slice(0, 2) },
  { kind: 'pure', op: 'UniqueV2', cost, compute: (inputs, attrs) => uniqueAlongAxis(inputs, attrs).slice(0, 2) },
  { kind: 'pure', op: 'UniqueWithCounts', cost, compute: ([tensor], attrs) => uniqueOfVector(tensor as Tensor, attrs) },
  { kind: 'pure', op: 'UniqueWithCountsV2', cost, compute: uniqueAlongAxis },
];
