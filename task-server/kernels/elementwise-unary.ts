import type { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { elu, erf, erfc, roundEven, SELU_ALPHA, SELU_SCALE, sigmoid, softplus } from './numeric-functions.ts';
import {
  type BigArray,
  FLOATS,
  NUMBERS,
  type NumberArray,
  numericTensor,
  numericType,
  type Round,
  roundTo,
  SIGNED,
  type WorkArray,
} from './numeric-types.ts';

type NumberMap = (x: NumberArray, out: NumberArray) => void;
type BigMap = (x: BigArray, out: BigArray) => void;

/** An op on each element by itself, as its loops in each domain. */
interface UnaryOp {
  readonly op: string;
  readonly types: readonly DType[];
  readonly float?: (round: Round) => NumberMap;
  readonly int?: NumberMap;
  readonly bigint?: BigMap;
  readonly weight?: number;
}

const neg: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = -(x[i] as number);
};

const abs: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.abs(x[i] as number);
};

const square: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = (x[i] as number) * (x[i] as number);
};

const sqrt: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(x[i] as number);
};

const reciprocal: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = 1 / (x[i] as number);
};

/** NaN stays. */
const relu: NumberMap = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.max(x[i] as number, 0);
};

const each =
  (f: (x: number) => number): NumberMap =>
  (x, out) => {
    for (let i = 0; i < out.length; i++) out[i] = f(x[i] as number);
  };

const eachBig =
  (f: (x: bigint) => bigint): BigMap =>
  (x, out) => {
    for (let i = 0; i < out.length; i++) out[i] = f(x[i] as bigint);
  };

const always = (map: NumberMap) => () => map;
const plain = (f: (x: number) => number) => always(each(f));
const clamp6 = (x: number) => Math.min(Math.max(x, 0), 6);

/** Ops that only floats have and that take one function call per element, most of them 10 to 20 additions long. */
const functions: Readonly<Record<string, (x: number) => number>> = {
  Rsqrt: (x) => 1 / Math.sqrt(x),
  Exp: Math.exp,
  Expm1: Math.expm1,
  Log: Math.log,
  Log1p: Math.log1p,
  Sin: Math.sin,
  Cos: Math.cos,
  Tan: Math.tan,
  Sinh: Math.sinh,
  Cosh: Math.cosh,
  Tanh: Math.tanh,
  Asin: Math.asin,
  Acos: Math.acos,
  Atan: Math.atan,
  Asinh: Math.asinh,
  Acosh: Math.acosh,
  Atanh: Math.atanh,
  Sigmoid: sigmoid,
  Softplus: softplus,
  Elu: elu,
  Selu: (x) => SELU_SCALE * (x < 0 ? SELU_ALPHA * Math.expm1(x) : x),
  Erf: erf,
  Erfc: erfc,
};

const ops: readonly UnaryOp[] = [
  { op: 'Neg', types: [...FLOATS, ...SIGNED], float: always(neg), int: neg, bigint: eachBig((x) => -x) },
  { op: 'Abs', types: [...FLOATS, ...SIGNED], float: always(abs), int: abs, bigint: eachBig((x) => (x < 0n ? -x : x)) },
  {
    op: 'Sign',
    types: [...FLOATS, ...SIGNED],
    float: plain((x) => (x === 0 ? 0 : Math.sign(x))),
    int: each(Math.sign),
    bigint: eachBig((x) => (x > 0n ? 1n : x < 0n ? -1n : 0n)),
  },
  { op: 'Square', types: NUMBERS, float: always(square), int: each((x) => Math.imul(x, x)), bigint: eachBig((x) => x * x) },
  { op: 'Sqrt', types: FLOATS, float: always(sqrt) },
  { op: 'Reciprocal', types: FLOATS, float: always(reciprocal) },
  { op: 'Inv', types: FLOATS, float: always(reciprocal) },
  { op: 'Relu', types: NUMBERS, float: always(relu), int: relu, bigint: eachBig((x) => (x > 0n ? x : 0n)) },
  { op: 'Relu6', types: NUMBERS, float: plain(clamp6), int: each(clamp6), bigint: eachBig((x) => (x <= 0n ? 0n : x > 6n ? 6n : x)) },
  { op: 'Softsign', types: FLOATS, float: (round) => each((x) => x / round(1 + Math.abs(x))) },
  { op: 'Floor', types: FLOATS, float: plain(Math.floor) },
  { op: 'Ceil', types: FLOATS, float: plain(Math.ceil) },
  { op: 'Rint', types: ['float', 'double'], float: plain(roundEven) },
  { op: 'Round', types: [...FLOATS, 'int32', 'int64'], float: plain(roundEven), int: each((x) => x), bigint: eachBig((x) => x) },
  ...Object.entries(functions).map(([op, f]) => ({ op, types: FLOATS, float: plain(f), weight: op.startsWith('Erf') ? 150 : 15 })),
];

function unaryKernel({ op, types, float, int, bigint, weight = 1 }: UnaryOp): PureKernelSpec {
  const maps = new Map(types.map((dtype) => [dtype, { float: float?.(roundTo(dtype)), int, bigint }[numericType(dtype).domain]]));
  return {
    kind: 'pure',
    op,
    types: { T: types },
    cost: (inputs) => weight * (inputs[0] as Tensor).data.length,
    compute(inputs) {
      const [x] = inputs as readonly [Tensor];
      const map = maps.get(x.dtype) as (x: WorkArray, out: WorkArray) => void;
      return [mapped(x, map)];
    },
  };
}

function mapped(x: Tensor, map: (x: WorkArray, out: WorkArray) => void): Tensor {
  const { widen, create } = numericType(x.dtype);
  const out = create(x.data.length);
  map(widen(x), out);
  return numericTensor(x.dtype, x.shape, out);
}

const leakyRelu: PureKernelSpec = {
  kind: 'pure',
  op: 'LeakyRelu',
  types: { T: FLOATS },
  compute(inputs, attrs: Attrs) {
    const [x] = inputs as readonly [Tensor];
    const alpha = roundTo(x.dtype)(attrs.float('alpha'));
    const map = each((value) => (value > 0 ? value : value * alpha));
    return [mapped(x, map as (x: WorkArray, out: WorkArray) => void)];
  },
};

function predicateKernel(op: string, holds: (x: number) => boolean): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: FLOATS },
    compute(inputs) {
      const [x] = inputs as readonly [Tensor];
      const values = numericType(x.dtype).widen(x) as NumberArray;
      const data = allocate('bool', values.length);
      for (let i = 0; i < data.length; i++) data[i] = holds(values[i] as number) ? 1 : 0;
      return [{ dtype: 'bool', shape: x.shape, data }];
    },
  };
}

export const elementwiseUnaryKernels: readonly PureKernelSpec[] = [
  ...ops.map(unaryKernel),
  leakyRelu,
  predicateKernel('IsNan', Number.isNaN),
  predicateKernel('IsInf', (x) => Math.abs(x) === Number.POSITIVE_INFINITY),
  predicateKernel('IsFinite', Number.isFinite),
];
