import type { DType } from '#proto/wire/dtype.ts';
import { sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { checkedIndices } from './gather.ts';
import { numericTensor, numericType, type Round, roundTo, type WorkArray } from './numeric-types.ts';

/** Internal ops: a new value for a variable, of which some rows are replaced by or combined with updates. */
interface Combination {
  readonly name: string;
  readonly number: (old: number, update: number) => number;
  readonly bigint: (old: bigint, update: bigint) => bigint;
}

function lesser(x: bigint, y: bigint): bigint {
  if (x < y) return x;
  return y;
}

function greater(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}

const combinations: readonly Combination[] = [
  { name: 'Add', number: (x, y) => x + y, bigint: (x, y) => x + y },
  { name: 'Sub', number: (x, y) => x - y, bigint: (x, y) => x - y },
  { name: 'Mul', number: (x, y) => x * y, bigint: (x, y) => x * y },
  { name: 'Div', number: (x, y) => x / y, bigint: (x, y) => x / y },
  { name: 'Min', number: Math.min, bigint: lesser },
  { name: 'Max', number: Math.max, bigint: greater },
];

/** Where rows go, and where their updates come from: row by row, or one number for all. */
interface Rows {
  readonly places: readonly number[];
  readonly inner: number;
  /** 0 for a scalar update. */
  readonly step: 0 | 1;
}

function rowsOf(params: Tensor, indices: Tensor, updates: Tensor): Rows {
  const places = checkedIndices(indices, params.shape[0] as number);
  return {
    places,
    inner: sizeOf(params.shape.slice(1)),
    step: updates.shape.length === 0 && indices.shape.length + params.shape.length > 1 ? 0 : 1,
  };
}

function replaced([params, indices, updates]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = params as Tensor;
  const { places, inner, step } = rowsOf(params as Tensor, indices as Tensor, updates as Tensor);
  const to = newCells(dtype, shape);
  copyElements(cellsOf(params as Tensor), 0, to, 0, sizeOf(shape));
  const from = cellsOf(updates as Tensor);
  for (const [row, place] of places.entries()) {
    if (step === 1) copyElements(from, row * inner, to, place * inner, inner);
    else for (let i = 0; i < inner; i++) copyElements(from, 0, to, place * inner + i, 1);
  }
  return [to.tensor];
}

function combined({ number, bigint }: Combination): PureKernelSpec['compute'] {
  return ([params, indices, updates]) => {
    const { dtype, shape } = params as Tensor;
    const rows = rowsOf(params as Tensor, indices as Tensor, updates as Tensor);
    const type = numericType(dtype);
    const values = copyOf(type.widen(params as Tensor), type.create(sizeOf(shape)));
    const given = type.widen(updates as Tensor);
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) combine(values, given as BigInt64Array, rows, bigint);
    else combine<number>(values, given as Float64Array, rows, rounded(dtype, number));
    return [numericTensor(dtype, shape, values)];
  };
}

function copyOf(from: WorkArray, to: WorkArray): WorkArray {
  to.set(from as never);
  return to;
}

function rounded(dtype: DType, combination: Combination['number']): Combination['number'] {
  const round: Round = roundTo(dtype);
  return dtype === 'half' || dtype === 'bfloat16' ? (x, y) => round(combination(x, y)) : combination;
}

function combine<T>(
  values: { [index: number]: T },
  given: { readonly [index: number]: T },
  rows: Rows,
  combination: (old: T, update: T) => T,
): void {
  const { places, inner, step } = rows;
  for (const [row, place] of places.entries()) {
    const start = row * inner;
    for (let i = 0; i < inner; i++) {
      const at = place * inner + i;
      values[at] = combination(values[at] as T, given[(start + i) * step] as T);
    }
  }
}

/** The whole variable is copied, because readers may hold the old value. */
const cost = ([params, , updates]: readonly Tensor[]) => (params as Tensor).data.length + 10 * (updates as Tensor).data.length;

export const scatterUpdateKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: '_ScatterUpdate', cost, compute: replaced },
  ...combinations.map((each): PureKernelSpec => ({ kind: 'pure', op: `_Scatter${each.name}`, cost, compute: combined(each) })),
];
