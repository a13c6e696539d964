import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { requireSameShape } from './broadcast.ts';
import { type BigLoop, bigLoop, type Loop, type NumberLoop, numberLoop } from './elementwise-loops.ts';
import { SELU_ALPHA, SELU_SCALE } from './numeric-functions.ts';
import { FLOATS, NUMBERS, numericTensor, numericType, type Round, roundTo, type WorkArray } from './numeric-types.ts';

/** Gradients of elementwise ops, on two tensors of one shape. */
interface GradOp {
  readonly op: string;
  readonly types: readonly DType[];
  readonly float: (round: Round, attrs: { alpha: number }) => NumberLoop;
  readonly int?: NumberLoop;
  readonly bigint?: BigLoop;
  /** Activations ask for equal shapes, the others only for as many elements. */
  readonly activation?: boolean;
}

/** The gradient where the feature is positive, times 0 elsewhere (infinities become NaN): the commonest, so written out. */
const reluGrad: NumberLoop = (gradient, feature, out, { count }) => {
  for (let i = 0; i < count; i++) out[i] = (gradient[i] as number) * ((feature[i] as number) > 0 ? 1 : 0);
};

const relu6Grad = numberLoop((g, x) => g * (x > 0 && x < 6 ? 1 : 0));
const sigmoidGrad = (round: Round) => numberLoop((y, dy) => round(dy * y) * round(1 - y));
const tanhGrad = (round: Round) => numberLoop((y, dy) => dy * round(1 - round(y * y)));
const reciprocalGrad = (round: Round) => numberLoop((y, dy) => (dy === 0 ? 0 : round(-dy * y) * y));

const ops: readonly GradOp[] = [
  {
    op: 'ReluGrad',
    types: NUMBERS,
    activation: true,
    float: () => reluGrad,
    int: reluGrad,
    bigint: bigLoop((g, x) => (x > 0n ? g : 0n)),
  },
  {
    op: 'Relu6Grad',
    types: NUMBERS,
    activation: true,
    float: () => relu6Grad,
    int: relu6Grad,
    bigint: bigLoop((g, x) => (x > 0n && x < 6n ? g : 0n)),
  },
  {
    op: 'LeakyReluGrad',
    types: FLOATS,
    activation: true,
    float: (round, { alpha }) => numberLoop((g, x) => (x > 0 ? g : g * round(alpha))),
  },
  { op: 'EluGrad', types: FLOATS, activation: true, float: (round) => numberLoop((g, y) => (y < 0 ? g * round(y + 1) : g)) },
  {
    op: 'SeluGrad',
    types: FLOATS,
    activation: true,
    float: (round) => numberLoop((g, y) => g * (y < 0 ? round(y + round(SELU_SCALE * SELU_ALPHA)) : round(SELU_SCALE))),
  },
  { op: 'SoftplusGrad', types: FLOATS, activation: true, float: (round) => numberLoop((g, x) => g / round(round(Math.exp(-x)) + 1)) },
  { op: 'SoftsignGrad', types: FLOATS, activation: true, float: (round) => numberLoop((g, x) => g / round(round(1 + Math.abs(x)) ** 2)) },
  { op: 'SigmoidGrad', types: FLOATS, float: sigmoidGrad },
  { op: 'TanhGrad', types: FLOATS, float: tanhGrad },
  { op: 'SqrtGrad', types: FLOATS, float: (round) => numberLoop((y, dy) => (dy === 0 ? 0 : round(0.5 * dy) / y)) },
  { op: 'RsqrtGrad', types: FLOATS, float: (round) => numberLoop((y, dy) => (dy === 0 ? 0 : round(-0.5 * dy) * round(round(y * y) * y))) },
  { op: 'ReciprocalGrad', types: FLOATS, float: reciprocalGrad },
  { op: 'InvGrad', types: FLOATS, float: reciprocalGrad },
];

function gradKernel({ op, types, float, int, bigint, activation = false }: GradOp): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: types },
    compute(inputs, attrs) {
      const [a, b] = inputs as readonly [Tensor, Tensor];
      if (activation) requireSameShape(attrs.node, op, [a.shape, b.shape]);
      else requireSameSize(a, b);
      const { widen, create, domain } = numericType(a.dtype);
      const alpha = attrs.has('alpha') ? attrs.float('alpha') : 0;
      const loop = { float: float(roundTo(a.dtype), { alpha }), int, bigint }[domain] as Loop<WorkArray>;
      const count = sizeOf(a.shape);
      const out = create(count);
      loop(widen(a), widen(b), out, { a: 0, aStep: 1, b: 0, bStep: 1, out: 0, count });
      return [numericTensor(a.dtype, a.shape, out)];
    },
  };
}

function requireSameSize(a: Tensor, b: Tensor): void {
  const [left, right] = [sizeOf(a.shape), sizeOf(b.shape)];
  if (left !== right) throw invalidArgument(`The two arguments to a cwise op must have same number of elements, got ${left} and ${right}`);
}

export const gradKernels: readonly PureKernelSpec[] = ops.map(gradKernel);
