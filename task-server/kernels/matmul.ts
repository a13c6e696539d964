import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastIndices, commonShape } from './broadcast.ts';
import { type Matrix, multiplyFloats } from './matmul-blocked.ts';
import { type BigArray, FLOATS, type FloatArray, INDICES, numericTensor, numericType, type WorkArray } from './numeric-types.ts';

type Shape = readonly number[];
type Multiply<A> = (a: Matrix<A>, b: Matrix<A>, out: A, outOffset: number) => void;

const multiplyInts: Multiply<Int32Array> = (a, b, out, outOffset) => {
  for (let row = 0, to = outOffset; row < a.rows; row++) {
    for (let column = 0; column < b.columns; column++, to++) {
      let sum = 0;
      let i = a.offset + row * a.rowStride;
      let j = b.offset + column * b.columnStride;
      for (let k = 0; k < a.columns; k++, i += a.columnStride, j += b.rowStride) {
        sum = (sum + Math.imul(a.data[i] as number, b.data[j] as number)) | 0;
      }
      out[to] = sum;
    }
  }
};

const multiplyBigs: Multiply<BigArray> = (a, b, out, outOffset) => {
  for (let row = 0, to = outOffset; row < a.rows; row++) {
    for (let column = 0; column < b.columns; column++, to++) {
      let sum = 0n;
      let i = a.offset + row * a.rowStride;
      let j = b.offset + column * b.columnStride;
      for (let k = 0; k < a.columns; k++, i += a.columnStride, j += b.rowStride) {
        sum = BigInt.asIntN(64, sum + (a.data[i] as bigint) * (b.data[j] as bigint));
      }
      out[to] = sum;
    }
  }
};

const multiply = { float: multiplyFloats as Multiply<FloatArray>, int: multiplyInts, bigint: multiplyBigs };

/** Two stacks of matrices, the last two dimensions read in transposed order where asked for. */
interface Product {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  /** Shape of the stack of results. */
  readonly batch: Shape;
}

function matrixIn({ shape }: Tensor, data: WorkArray, transpose: boolean): (index: number) => Matrix<WorkArray> {
  const [height = 1, width = 1] = shape.slice(-2);
  const size = height * width;
  return transpose
    ? (index) => ({ data, offset: index * size, rows: width, columns: height, rowStride: 1, columnStride: width })
    : (index) => ({ data, offset: index * size, rows: height, columns: width, rowStride: width, columnStride: 1 });
}

function product({ a, b, transposeA, transposeB, batch }: Product): Tensor {
  const { widen, create, domain } = numericType(a.dtype);
  const matrixA = matrixIn(a, widen(a), transposeA);
  const matrixB = matrixIn(b, widen(b), transposeB);
  const { rows, columns } = { rows: matrixA(0).rows, columns: matrixB(0).columns };
  if (matrixA(0).columns !== matrixB(0).rows) {
    throw invalidArgument(`Matrix size-incompatible: In[0]: ${shapeText(a.shape)}, In[1]: ${shapeText(b.shape)}`);
  }
  const shape = [...batch, rows, columns];
  const out = create(sizeOf(shape));
  const indexA = broadcastIndices(a.shape.slice(0, -2), batch);
  const indexB = broadcastIndices(b.shape.slice(0, -2), batch);
  const run = multiply[domain] as unknown as Multiply<WorkArray>;
  for (let index = 0, count = sizeOf(batch); index < count; index++) {
    run(matrixA(indexA?.[index] ?? index), matrixB(indexB?.[index] ?? index), out, index * rows * columns);
  }
  return numericTensor(a.dtype, shape, out);
}

/** Two operations for each multiplication; the shapes need not fit. */
function productCost(inputs: readonly Tensor[], transposeA: boolean): number {
  const [a, b] = inputs as readonly [Tensor, Tensor];
  const rows = a.shape.at(transposeA ? -1 : -2) ?? 1;
  return rows === 0 ? 0 : (2 * sizeOf(a.shape) * sizeOf(b.shape)) / Math.max(1, sizeOf(b.shape.slice(0, -2)) * innerSize(a, transposeA));
}

function innerSize({ shape }: Tensor, transpose: boolean): number {
  return shape.at(transpose ? -2 : -1) ?? 1;
}

function requireSameRank(a: Tensor, b: Tensor): void {
  if (a.shape.length === b.shape.length) return;
  throw invalidArgument(`In[0] and In[1] has different ndims: ${shapeText(a.shape)} vs. ${shapeText(b.shape)}`);
}

const TYPES = [...FLOATS, ...INDICES] as const;

const matMul: PureKernelSpec = {
  kind: 'pure',
  op: 'MatMul',
  types: { T: TYPES },
  cost: (inputs, attrs) => productCost(inputs, attrs.bool('transpose_a')),
  compute(inputs, attrs) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    requireSameRank(a, b);
    if (a.shape.length !== 2) throw invalidArgument(`In[0] and In[1] ndims must be == 2: ${a.shape.length}`);
    return [product({ a, b, transposeA: attrs.bool('transpose_a'), transposeB: attrs.bool('transpose_b'), batch: [] })];
  },
};

const batchMatMul: PureKernelSpec = {
  kind: 'pure',
  op: 'BatchMatMul',
  types: { T: TYPES },
  cost: (inputs, attrs) => productCost(inputs, attrs.bool('adj_x')),
  compute(inputs, attrs) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    requireSameRank(a, b);
    requireMatrices(a, b);
    const batch = a.shape.slice(0, -2);
    const differs = batch.findIndex((dim, index) => dim !== b.shape[index]);
    if (differs >= 0) {
      const shapes = `${shapeText(a.shape)} vs ${shapeText(b.shape)}`;
      throw invalidArgument(`In[0].dim(${differs}) and In[1].dim(${differs}) must be the same: ${shapes}`);
    }
    return [product({ a, b, transposeA: attrs.bool('adj_x'), transposeB: attrs.bool('adj_y'), batch })];
  },
};

const batchMatMulV2: PureKernelSpec = {
  kind: 'pure',
  op: 'BatchMatMulV2',
  types: { T: [...TYPES, 'int16'] },
  cost: (inputs, attrs) => productCost(inputs, attrs.bool('adj_x')),
  compute(inputs, attrs) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    requireMatrices(a, b);
    const batch = commonShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
    if (!batch) {
      throw invalidArgument(`In[0] and In[1] must have compatible batch dimensions: ${shapeText(a.shape)} vs. ${shapeText(b.shape)}`);
    }
    return [product({ a, b, transposeA: attrs.bool('adj_x'), transposeB: attrs.bool('adj_y'), batch })];
  },
};

function requireMatrices(...inputs: readonly Tensor[]): void {
  inputs.forEach(({ shape }, index) => {
    if (shape.length < 2) throw invalidArgument(`In[${index}] ndims must be >= 2: ${shape.length}`);
  });
}

export const matmulKernels: readonly PureKernelSpec[] = [matMul, batchMatMul, batchMatMulV2];
