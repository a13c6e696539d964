import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { firstIndex, positionText } from './array-index.ts';
import { indices } from './numeric-types.ts';

interface GatherPlace {
  readonly axis: number;
  readonly batchDims: number;
}

/** Slices of `params` along an axis, chosen by `chosen`; the first `batchDims` dimensions of both go hand in hand. */
export function gathered(params: Tensor, chosen: Tensor, { axis, batchDims }: GatherPlace): Tensor {
  const limit = params.shape[axis] as number;
  const batch = sizeOf(params.shape.slice(0, batchDims));
  const outer = sizeOf(params.shape.slice(batchDims, axis));
  const inner = sizeOf(params.shape.slice(axis + 1));
  const picks = checkedIndices(chosen, limit);
  const perBatch = picks.length / Math.max(batch, 1);
  const from = cellsOf(params);
  const to = newCells(params.dtype, [...params.shape.slice(0, axis), ...chosen.shape.slice(batchDims), ...params.shape.slice(axis + 1)]);
  let at = 0;
  for (let block = 0; block < batch * outer; block++) {
    const first = Math.floor(block / outer) * perBatch;
    for (let i = 0; i < perBatch; i++, at += inner) {
      copyElements(from, (block * limit + (picks[first + i] as number)) * inner, to, at, inner);
    }
  }
  return to.tensor;
}

/** Indices as numbers, each within [0, limit). */
export function checkedIndices(chosen: Tensor, limit: number): number[] {
  const picks = indices(chosen);
  const bad = picks.findIndex((pick) => pick < 0 || pick >= limit);
  if (bad >= 0) throw invalidArgument(`indices${positionText(bad, chosen.shape)} = ${picks[bad]} is not in [0, ${limit})`);
  return picks;
}

function gather([params, chosen]: readonly Tensor[]): Tensor[] {
  if ((params as Tensor).shape.length === 0) throw invalidArgument('params must be at least 1 dimensional');
  return [gathered(params as Tensor, chosen as Tensor, { axis: 0, batchDims: 0 })];
}

function gatherV2([params, chosen, axisTensor]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { shape } = params as Tensor;
  const place = placeOf(shape, chosen as Tensor, axisTensor as Tensor, attrs.int('batch_dims'));
  for (let dim = 0; dim < place.batchDims; dim++) {
    const own = shape[dim];
    const theirs = (chosen as Tensor).shape[dim];
    if (own !== theirs) throw invalidArgument(`params.shape[${dim}]: ${own} should be equal to indices.shape[${dim}]: ${theirs}`);
  }
  return [gathered(params as Tensor, chosen as Tensor, place)];
}

function placeOf(shape: readonly number[], chosen: Tensor, axisTensor: Tensor, givenBatchDims: number): GatherPlace {
  if (shape.length === 0) throw invalidArgument('params must be at least 1 dimensional');
  if (axisTensor.shape.length > 0) throw invalidArgument('axis must be scalar');
  const given = firstIndex(axisTensor);
  const least = given < 0 ? -given : given + 1;
  if (least > shape.length) throw invalidArgument(`Shape must be at least rank ${least} but is rank ${shape.length}`);
  const axis = given < 0 ? given + shape.length : given;
  const rank = chosen.shape.length;
  if (givenBatchDims < -rank || givenBatchDims > rank) {
    throw invalidArgument(`Expected batch_dims in the range [${-rank}, ${rank}], but got ${givenBatchDims}`);
  }
  const batchDims = givenBatchDims < 0 ? givenBatchDims + rank : givenBatchDims;
  if (batchDims > axis) throw invalidArgument(`batch_dims (${batchDims}) must be less than or equal to axis (${axis}).`);
  return { axis, batchDims };
}

function gatherNd([params, chosen]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = params as Tensor;
  const at = chosen as Tensor;
  if (shape.length === 0) throw invalidArgument('params must be at least a vector');
  if (at.shape.length === 0) throw invalidArgument('indices must be at least a vector');
  const depth = at.shape.at(-1) as number;
  if (depth > shape.length) {
    throw invalidArgument(`index innermost dimension length must be <= params rank; saw: ${depth} vs. ${shape.length}`);
  }
  const outer = at.shape.slice(0, -1);
  const count = sizeOf(outer);
  if (count > 0 && sizeOf(shape) === 0) {
    throw invalidArgument(`Requested more than 0 entries, but params is empty.  Params shape: ${shapeText(shape)}`);
  }
  const inner = sizeOf(shape.slice(depth));
  const to = newCells(dtype, [...outer, ...shape.slice(depth)]);
  const from = cellsOf(params as Tensor);
  const picks = indices(at);
  for (let i = 0; i < count; i++) {
    const position = picks.slice(i * depth, (i + 1) * depth);
    const flat = flatIndex(position, shape);
    if (flat === undefined) {
      throw invalidArgument(
        `indices${positionText(i, outer)} = [${position.join(', ')}] does not index into param shape ${shapeText(shape)}`,
      );
    }
    copyElements(from, flat * inner, to, i * inner, inner);
  }
  return [to.tensor];
}

/** Row-major number of a position in the leading dimensions of a shape; undefined when it is outside. */
export function flatIndex(position: readonly number[], shape: readonly number[]): number | undefined {
  let flat = 0;
  for (const [axis, index] of position.entries()) {
    const size = shape[axis] as number;
    if (index < 0 || index >= size) return undefined;
    flat = flat * size + index;
  }
  return flat;
}

/** Index arithmetic counts more than the elements moved. */
function gatherCost([params, chosen]: readonly Tensor[]): number {
  const { shape, data } = params as Tensor;
  const perIndex = shape.length > 0 ? data.length / Math.max(shape[0] as number, 1) : 1;
  return (chosen as Tensor).data.length * (20 + perIndex);
}

export const gatherKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Gather', cost: gatherCost, compute: gather },
  { kind: 'pure', op: 'GatherV2', cost: gatherCost, compute: gatherV2 },
  { kind: 'pure', op: 'GatherNd', cost: gatherCost, compute: gatherNd },
];
