import { type DType, dtypeSize } from '#proto/wire/dtype.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import {
  type BigArray,
  INDICES,
  indices,
  NUMBERS,
  type NumberArray,
  numericTensor,
  numericType,
  UNSIGNED,
  type WorkArray,
} from './numeric-types.ts';
import { type Pass, planReduction, type ReductionPlan } from './reduce-axes.ts';

/** Folds `values` into `out`, which holds the start value. */
type Fold<A> = (values: A, out: A, pass: Pass) => void;

interface Reduction {
  readonly op: string;
  readonly types?: readonly DType[];
  /** Floats are accumulated in double precision, small integers in 32 bits, long ones in 64. */
  readonly float?: Fold<NumberArray>;
  readonly int: Fold<NumberArray>;
  readonly bigint?: Fold<BigArray>;
  /** Value of an empty reduction. */
  readonly start: (dtype: DType) => number | bigint;
  /** How many numbers each result was made of is known only at the end. */
  readonly finish?: (values: WorkArray, folded: number) => void;
  /** Applied to the elements before the first fold. */
  readonly prepare?: (values: WorkArray) => WorkArray;
}

const sumFloats: Fold<NumberArray> = (values, out, { outer, count, inner }) => {
  for (let o = 0, from = 0; o < outer; o++) {
    if (inner === 1) {
      let sum = out[o] as number;
      for (const end = from + count; from < end; from++) sum += values[from] as number;
      out[o] = sum;
      continue;
    }
    for (let c = 0; c < count; c++) {
      const to = o * inner;
      for (let i = 0; i < inner; i++, from++) out[to + i] = (out[to + i] as number) + (values[from] as number);
    }
  }
};

const sumInts: Fold<NumberArray> = (values, out, { outer, count, inner }) => {
  for (let o = 0, from = 0; o < outer; o++) {
    for (let c = 0; c < count; c++) {
      const to = o * inner;
      for (let i = 0; i < inner; i++, from++) out[to + i] = ((out[to + i] as number) + (values[from] as number)) | 0;
    }
  }
};

const foldNumbers =
  (step: (total: number, value: number) => number): Fold<NumberArray> =>
  (values, out, { outer, count, inner }) => {
    for (let o = 0, from = 0; o < outer; o++) {
      for (let c = 0; c < count; c++) {
        const to = o * inner;
        for (let i = 0; i < inner; i++, from++) out[to + i] = step(out[to + i] as number, values[from] as number);
      }
    }
  };

const foldBigs =
  (step: (total: bigint, value: bigint) => bigint): Fold<BigArray> =>
  (values, out, { outer, count, inner }) => {
    for (let o = 0, from = 0; o < outer; o++) {
      for (let c = 0; c < count; c++) {
        const to = o * inner;
        for (let i = 0; i < inner; i++, from++) out[to + i] = step(out[to + i] as bigint, values[from] as bigint);
      }
    }
  };

const isUnsigned = (dtype: DType) => (UNSIGNED as readonly DType[]).includes(dtype);

function lowest(dtype: DType): number | bigint {
  const { domain } = numericType(dtype);
  if (domain === 'float') return Number.NEGATIVE_INFINITY;
  if (isUnsigned(dtype)) return domain === 'int' ? 0 : 0n;
  return domain === 'int' ? -(2 ** (8 * dtypeSize(dtype) - 1)) : -(2n ** 63n);
}

function highest(dtype: DType): number | bigint {
  const { domain } = numericType(dtype);
  if (domain === 'float') return Number.POSITIVE_INFINITY;
  const bits = 8 * dtypeSize(dtype) - (isUnsigned(dtype) ? 0 : 1);
  return domain === 'int' ? 2 ** bits - 1 : 2n ** BigInt(bits) - 1n;
}

const zero = (dtype: DType) => (numericType(dtype).domain === 'bigint' ? 0n : 0);
const one = (dtype: DType) => (numericType(dtype).domain === 'bigint' ? 1n : 1);

const sum = { float: sumFloats, int: sumInts, bigint: foldBigs((total, x) => total + x), start: zero };

/** Integer means are cut towards zero; an empty one is 0. */
function divide(values: WorkArray, folded: number): void {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = 0; i < values.length && folded > 0; i++) values[i] = (values[i] as bigint) / BigInt(folded);
  } else {
    for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) / folded;
  }
}

function squares(values: WorkArray): WorkArray {
  if (values instanceof BigInt64Array) return values.map((value) => value * value);
  if (values instanceof BigUint64Array) return values.map((value) => value * value);
  return Float64Array.from(values as NumberArray, (value) => value * value);
}

function root(values: WorkArray): void {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = 0; i < values.length; i++) values[i] = BigInt(Math.trunc(Math.sqrt(Number(values[i]))));
  } else for (let i = 0; i < values.length; i++) values[i] = Math.sqrt(values[i] as number);
}

/** NaN wins. */
const larger = (best: number, x: number) => (x > best || Number.isNaN(x) ? x : best);
const smaller = (best: number, x: number) => (x < best || Number.isNaN(x) ? x : best);

function largerBig(best: bigint, x: bigint): bigint {
  if (x > best) return x;
  return best;
}

function smallerBig(best: bigint, x: bigint): bigint {
  if (x < best) return x;
  return best;
}

const reductions: readonly Reduction[] = [
  { op: 'Sum', types: NUMBERS, ...sum },
  { op: 'Mean', types: NUMBERS, ...sum, finish: divide },
  { op: 'EuclideanNorm', types: NUMBERS, ...sum, prepare: squares, finish: root },
  {
    op: 'Prod',
    types: NUMBERS,
    float: foldNumbers((total, x) => total * x),
    int: foldNumbers(Math.imul),
    bigint: foldBigs((total, x) => total * x),
    start: one,
  },
  { op: 'Max', types: NUMBERS, float: foldNumbers(larger), int: foldNumbers(larger), bigint: foldBigs(largerBig), start: lowest },
  { op: 'Min', types: NUMBERS, float: foldNumbers(smaller), int: foldNumbers(smaller), bigint: foldBigs(smallerBig), start: highest },
  { op: 'All', int: foldNumbers((total, x) => total & x), start: () => 1 },
  { op: 'Any', int: foldNumbers((total, x) => total | x), start: () => 0 },
];

function reduceKernel(reduction: Reduction): PureKernelSpec {
  const { op, types } = reduction;
  return {
    kind: 'pure',
    op,
    types: types ? { T: types, Tidx: INDICES } : { Tidx: INDICES },
    compute(inputs, attrs) {
      const [x, axes] = inputs as readonly [Tensor, Tensor];
      return [reduced(x, planReduction(x.shape, indices(axes), attrs.bool('keep_dims')), reduction)];
    },
  };
}

type Folds = Omit<Reduction, 'op' | 'types'>;

function reduced(x: Tensor, { shape, folded, passes }: ReductionPlan, folds: Folds): Tensor {
  const { widen, domain } = numericType(x.dtype);
  const fold = folds[domain] as Fold<WorkArray>;
  let values = folds.prepare ? folds.prepare(widen(x)) : widen(x);
  for (const pass of passes) {
    const out = accumulators(x.dtype, pass.outer * pass.inner);
    out.fill(folds.start(x.dtype) as never);
    fold(values, out, pass);
    values = out;
  }
  folds.finish?.(values, folded);
  return numericTensor(x.dtype, shape, rounded(x.dtype, values));
}

/** The sum over every dimension but one. */
export function sumExcept(x: Tensor, keptAxis: number): Tensor {
  const axes = x.shape.map((_, axis) => axis).filter((axis) => axis !== keptAxis);
  return reduced(x, planReduction(x.shape, axes), sum);
}

function accumulators(dtype: DType, count: number): WorkArray {
  const { domain, create } = numericType(dtype);
  return domain === 'float' ? allocate('double', count) : create(count);
}

/** Accumulators as the work array of their type. */
function rounded(dtype: DType, values: WorkArray): WorkArray {
  const { domain, create } = numericType(dtype);
  if (domain !== 'float' || dtype === 'double') return values;
  const out = create(values.length) as Float32Array;
  out.set(values as Float64Array);
  return out;
}

export const reduceKernels: readonly PureKernelSpec[] = reductions.map(reduceKernel);
