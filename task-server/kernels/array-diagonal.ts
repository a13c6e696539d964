import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, newCells } from './array-cells.ts';
import { copyStrided, dense } from './array-strided.ts';

/** A batch of diagonals of `size` elements, `rows` x `columns` matrices on the other side. */
interface Diagonal {
  readonly batch: number;
  readonly size: number;
  readonly rows: number;
  readonly columns: number;
}

function spread(tensor: Tensor, { batch, size, rows, columns }: Diagonal, shape: readonly number[]): Tensor[] {
  const to = newCells(tensor.dtype, shape);
  const target = { offset: 0, strides: [rows * columns, columns + 1] };
  copyStrided([batch, size], cellsOf(tensor), dense([batch, size]), to, target);
  return [to.tensor];
}

function picked(tensor: Tensor, { batch, size, rows, columns }: Diagonal, shape: readonly number[]): Tensor[] {
  const to = newCells(tensor.dtype, shape);
  const source = { offset: 0, strides: [rows * columns, columns + 1] };
  copyStrided([batch, size], cellsOf(tensor), source, to, dense([batch, size]));
  return [to.tensor];
}

function diag([tensor]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  if (shape.length === 0) throw invalidArgument('Input must be at least rank 1, got 0');
  const size = sizeOf(shape);
  return spread(tensor as Tensor, { batch: 1, size, rows: size, columns: size }, [...shape, ...shape]);
}

function diagPart([tensor]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  const half = shape.length / 2;
  if (shape.length === 0 || !Number.isInteger(half)) {
    // The gap is TensorFlow's own.
    throw invalidArgument(`The rank of the tensor should be${' '.repeat(42)}even and positive, got shape ${shapeText(shape)}`);
  }
  const own = shape.slice(0, half);
  const bad = own.findIndex((size, axis) => size !== shape[axis + half]);
  if (bad >= 0) throw invalidArgument(`Invalid shape ${shapeText(shape)}: dimensions ${bad} and ${bad + half} do not match.`);
  const size = sizeOf(own);
  return picked(tensor as Tensor, { batch: 1, size, rows: size, columns: size }, own);
}

function matrixDiag([tensor]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  const size = shape.at(-1);
  if (size === undefined) throw invalidArgument(`diagonal must be at least 1-dim, received shape: ${shapeText(shape)}`);
  return spread(tensor as Tensor, { batch: sizeOf(shape.slice(0, -1)), size, rows: size, columns: size }, [...shape, size]);
}

function matrixDiagPart([tensor]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  const [rows, columns] = shape.slice(-2);
  if (rows === undefined || columns === undefined) {
    throw invalidArgument(`input must be at least 2-dim, received shape: ${shapeText(shape)}`);
  }
  const outer = shape.slice(0, -2);
  const size = Math.min(rows, columns);
  return picked(tensor as Tensor, { batch: sizeOf(outer), size, rows, columns }, [...outer, size]);
}

const squared = ([tensor]: readonly Tensor[]) => (tensor as Tensor).data.length ** 2;

export const diagonalKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Diag', cost: squared, compute: diag },
  { kind: 'pure', op: 'DiagPart', compute: diagPart },
  {
    kind: 'pure',
    op: 'MatrixDiag',
    cost: ([tensor]) => (tensor as Tensor).data.length * ((tensor as Tensor).shape.at(-1) ?? 1),
    compute: matrixDiag,
  },
  { kind: 'pure', op: 'MatrixDiagPart', compute: matrixDiagPart },
];
