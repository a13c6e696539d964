import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { accumulator } from './array-accumulate.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { checkedDims, positionText } from './array-index.ts';
import { sameShape } from './broadcast.ts';
import { flatIndex } from './gather.ts';
import { indices } from './numeric-types.ts';

function scatterNd([chosen, updates, shapeTensor]: readonly Tensor[]): Tensor[] {
  const at = chosen as Tensor;
  const values = updates as Tensor;
  if ((shapeTensor as Tensor).shape.length !== 1) throw invalidArgument('Shape must be a vector');
  const shape = checkedDims(indices(shapeTensor as Tensor));
  checkShapes(at, values, shape);
  const outer = at.shape.slice(0, -1);
  const depth = at.shape.at(-1) as number;
  const inner = sizeOf(shape.slice(depth));
  const places = placesOf(at, outer, shape);
  return [assembled(values, places, inner, shape)];
}

/** Sums where one place is written to several times; for types without addition the last one stays. */
function assembled(values: Tensor, places: readonly number[], inner: number, shape: readonly number[]): Tensor {
  const { dtype } = values;
  if (dtype === 'string' || dtype === 'bool') {
    const to = newCells(dtype, shape);
    const from = cellsOf(values);
    for (const [row, place] of places.entries()) copyElements(from, row * inner, to, place * inner, inner);
    return to.tensor;
  }
  const sums = accumulator(dtype, shape, values);
  for (const [row, place] of places.entries()) sums.add(place * inner, row * inner, inner);
  return sums.finish();
}

function checkShapes(at: Tensor, values: Tensor, shape: readonly number[]): void {
  if (at.shape.length === 0) throw invalidArgument(`Indices shape must have rank at least one. Found:${shapeText(at.shape)}`);
  if (values.shape.length === 0) throw invalidArgument(`Updates shape must have rank at least one. Found:${shapeText(values.shape)}`);
  if (sizeOf(shape) === 0 && (at.data.length > 0 || values.data.length > 0)) {
    throw invalidArgument(`Indices and updates specified for empty output.  indices shape: ${shapeText(at.shape)}`);
  }
  const outer = at.shape.length - 1;
  const depth = at.shape[outer] as number;
  const indexText = `[0,${outer}) of indices[shape=${shapeText(at.shape)}]`;
  if (!sameShape(values.shape.slice(0, outer), at.shape.slice(0, -1))) {
    throw invalidArgument(`Dimensions ${indexText} must match dimensions [0,${outer}) of updates[shape=${shapeText(values.shape)}]`);
  }
  if (depth > shape.length || !sameShape(values.shape.slice(outer), shape.slice(depth))) {
    throw invalidArgument(
      `Dimensions [${depth},${shape.length}) of input[shape=${shapeText(shape)}] must match dimensions [${outer},${values.shape.length}) of updates[shape=${shapeText(values.shape)}]`,
    );
  }
}

function placesOf(at: Tensor, outer: readonly number[], shape: readonly number[]): number[] {
  const depth = at.shape.at(-1) as number;
  const picks = indices(at);
  return Array.from({ length: sizeOf(outer) }, (_, row) => {
    const position = picks.slice(row * depth, (row + 1) * depth);
    const place = flatIndex(position, shape);
    if (place !== undefined) return place;
    throw invalidArgument(`indices${positionText(row, outer)} = [${position.join(', ')}] does not index into shape ${shapeText(shape)}`);
  });
}

export const scatterNdKernels: readonly PureKernelSpec[] = [
  {
    kind: 'pure',
    op: 'ScatterNd',
    cost: ([, updates, shape]) => 5 * (updates as Tensor).data.length + Math.abs(sizeOf(indices(shape as Tensor))),
    compute: scatterNd,
  },
];
