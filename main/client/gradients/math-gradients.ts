import type { Output } from '../graph/node.ts';
import { broadcasting } from './broadcast.ts';
import { type GradientContext, type GradientFunction, type GradientTable, input, toFirst } from './gradient-function.ts';

/** dx from the op's input. */
function fromInput(make: (context: GradientContext, x: Output) => Output): GradientFunction {
  return (context) => [make(context, input(context, 0))];
}

/** dx from the op's output. */
function fromOutput(make: (context: GradientContext, y: Output) => Output): GradientFunction {
  return (context) => [make(context, context.node.output())];
}

/** An op made for this gradient, of the output and its gradient. */
function gradOp(type: string): GradientFunction {
  return fromOutput(({ grad, node }, y) => node.graph.op(type, [y, grad]).output());
}

/** The gradient goes to the operand that was chosen. */
function chosen(type: 'GreaterEqual' | 'LessEqual'): GradientFunction {
  return broadcasting(({ o, grad, node }, x, y) => {
    const mask = node.graph.op(type, [x, y]).output();
    const zeros = o.zerosLike(grad);
    return [o.where(mask, grad, zeros), o.where(mask, zeros, grad)];
  });
}

const add = broadcasting(({ grad }) => [grad, grad]);
const divide = broadcasting(({ o, grad }, x, y) => [o.div(grad, y), o.mul(grad, o.div(o.div(o.neg(x), y), y))]);

/** d/dy of xʸ where x may be negative or zero: there the logarithm does not exist and counts as 0. */
const power = broadcasting(({ o, grad, node }, x, y) => {
  const safe = o.where(o.greater(x, 0), x, o.onesLike(x));
  const log = o.where(o.greater(x, 0), o.log(safe), o.zerosLike(x));
  return [o.mul(grad, o.mul(y, o.pow(x, o.sub(y, 1)))), o.mul(grad, o.mul(node.output(), log))];
});

const TWO_OVER_SQRT_PI = 2 / Math.sqrt(Math.PI);

export const mathGradients: GradientTable = {
  Add: add,
  AddV2: add,
  Sub: broadcasting(({ o, grad }) => [grad, o.neg(grad)]),
  Mul: broadcasting(({ o, grad }, x, y) => [o.mul(grad, y), o.mul(x, grad)]),
  RealDiv: divide,
  Div: divide,
  DivNoNan: broadcasting(({ o, grad }, x, y) => [o.divNoNan(grad, y), o.mul(grad, o.divNoNan(o.divNoNan(o.neg(x), y), y))]),
  FloorMod: broadcasting(({ o, grad }, x, y) => [grad, o.mul(grad, o.neg(o.floorDiv(x, y)))]),
  Pow: power,
  Maximum: chosen('GreaterEqual'),
  Minimum: chosen('LessEqual'),
  SquaredDifference: broadcasting(({ o, grad }, x, y) => {
    const dx = o.mul(o.mul(2, grad), o.sub(x, y));
    return [dx, o.neg(dx)];
  }),

  Neg: ({ o, grad }) => [o.neg(grad)],
  Abs: fromInput(({ o, grad }, x) => o.mul(grad, o.sign(x))),
  Square: fromInput(({ o, grad }, x) => o.mul(grad, o.mul(x, 2))),
  Sqrt: gradOp('SqrtGrad'),
  Rsqrt: gradOp('RsqrtGrad'),
  Reciprocal: gradOp('ReciprocalGrad'),
  Inv: gradOp('ReciprocalGrad'),
  Tanh: gradOp('TanhGrad'),
  Sigmoid: gradOp('SigmoidGrad'),
  Exp: fromOutput(({ o, grad }, y) => o.mul(grad, y)),
  Expm1: fromInput(({ o, grad }, x) => o.mul(grad, o.exp(x))),
  Log: fromInput(({ o, grad }, x) => o.mul(grad, o.reciprocal(x))),
  Log1p: fromInput(({ o, grad }, x) => o.mul(grad, o.reciprocal(o.add(x, 1)))),
  Sin: fromInput(({ o, grad }, x) => o.mul(grad, o.cos(x))),
  Cos: fromInput(({ o, grad }, x) => o.neg(o.mul(grad, o.sin(x)))),
  Tan: fromInput(({ o, grad }, x) => o.mul(grad, o.square(o.reciprocal(o.cos(x))))),
  Sinh: fromInput(({ o, grad }, x) => o.mul(grad, o.cosh(x))),
  Cosh: fromInput(({ o, grad }, x) => o.mul(grad, o.sinh(x))),
  Erf: fromInput(({ o, grad }, x) => o.mul(grad, o.mul(TWO_OVER_SQRT_PI, o.exp(o.neg(o.square(x)))))),

  AddN: ({ grad, node }) => node.inputs.map(() => grad),
  Cast: toFirst((context) => context.o.cast(context.grad, input(context, 0).dtype)),
  Cumsum: toFirst((context) => {
    const { node, grad } = context;
    const { exclusive, reverse } = flags(context);
    return node.graph.op('Cumsum', [grad, input(context, 1)], { exclusive, reverse: !reverse }).output();
  }),

  MatMul: matMul,
  BatchMatMul: batchMatMul,
  BatchMatMulV2: batchMatMul,
};

function flags({ node }: GradientContext): { exclusive: boolean; reverse: boolean } {
  return { exclusive: flag(node.attrs['exclusive']), reverse: flag(node.attrs['reverse']) };
}

function flag(attr: GradientContext['node']['attrs'][string] | undefined): boolean {
  return attr?.value.case === 'b' && attr.value.value;
}

/** Gradients of `op(a) · op(b)`, where either factor may be transposed. */
function productGradients(context: GradientContext, transposed: readonly [boolean, boolean]): [Output, Output] {
  const { o, grad } = context;
  const [a, b] = [input(context, 0), input(context, 1)];
  const [ta, tb] = transposed;
  const times = (x: Output, y: Output, transposeA: boolean, transposeB: boolean): Output => o.matmul(x, y, { transposeA, transposeB });
  return [ta ? times(b, grad, tb, true) : times(grad, b, false, !tb), tb ? times(grad, a, true, ta) : times(a, grad, !ta, false)];
}

function matMul(context: GradientContext): readonly Output[] {
  return productGradients(context, [flag(context.node.attrs['transpose_a']), flag(context.node.attrs['transpose_b'])]);
}

/** The dimensions before the last two may have been broadcast. */
function batchMatMul(context: GradientContext): readonly (Output | undefined)[] {
  const { o, node } = context;
  const [a, b] = [input(context, 0), input(context, 1)];
  const [ga, gb] = productGradients(context, [flag(node.attrs['adj_x']), flag(node.attrs['adj_y'])]);
  const batch = (x: Output): Output => o.stridedSlice(o.shape(x), [0], [-2]);
  const axes = node.graph.op('BroadcastGradientArgs', [batch(a), batch(b)]);
  return [o.reshape(o.reduceSum(ga, axes.output(0)), o.shape(a)), o.reshape(o.reduceSum(gb, axes.output(1)), o.shape(b))];
}
