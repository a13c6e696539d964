import type { PartialShape } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { broadcastShapes, mergeDims, mergeShapes, normalizeAxis, UNKNOWN } from './shape-algebra.ts';
import { type ShapeContext, type ShapeFunction, table } from './shape-function.ts';

const elementwise = `Abs Acos Acosh Asin Asinh Atan Atanh BesselI0 Cast Ceil Cos Cosh Digamma Elu Erf Erfc Exp Expm1 Floor Inv
  Invert IsFinite IsInf IsNan Lgamma Log Log1p LogicalNot Neg Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh
  Softplus Softsign Sqrt Square Tan Tanh LeakyRelu Softmax LogSoftmax CheckNumerics ClipByValue`;
const broadcasting = `Add AddV2 Atan2 BitwiseAnd BitwiseOr BitwiseXor Div DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual
  Less LessEqual LogicalAnd LogicalOr Maximum Minimum Mod Mul MulNoNan NotEqual Pow RealDiv SquaredDifference Sub TruncateDiv
  TruncateMod Xdivy Xlogy`;
const likeGradient = `ReluGrad Relu6Grad EluGrad SeluGrad SigmoidGrad TanhGrad SoftplusGrad SoftsignGrad SqrtGrad RsqrtGrad
  ReciprocalGrad InvGrad LeakyReluGrad`;
const reductions = 'All Any EuclideanNorm Max Mean Min Prod Sum';

export const mathShapes: Readonly<Record<string, ShapeFunction>> = {
  ...table(elementwise, ({ inputs }) => [inputs[0]?.shape]),
  ...table(broadcasting, ({ inputs }) => [broadcastShapes(inputs[0]?.shape, inputs[1]?.shape)]),
  ...table(likeGradient, ({ inputs }) => [mergeShapes(inputs[0]?.shape, inputs[1]?.shape)]),
  ...table(reductions, reduce),
  ...table('ArgMax ArgMin', argReduce),
  ...table('BatchMatMul BatchMatMulV2', batchMatMul),
  AddN: ({ inputs }) => [inputs.map(({ shape }) => shape).reduce(mergeShapes, undefined)],
  BiasAdd: ({ inputs }) => [inputs[0]?.shape],
  BiasAddGrad: ({ inputs, attrs }) => [[channels(inputs[0]?.shape, attrs.text('data_format'))]],
  Cumsum: ({ inputs }) => [inputs[0]?.shape],
  L2Loss: () => [[]],
  MatMul: matMul,
  Range: range,
  Select: ({ inputs }) => [mergeShapes(inputs[1]?.shape, inputs[2]?.shape)],
  SelectV2: ({ inputs }) => [broadcastShapes(inputs[0]?.shape, broadcastShapes(inputs[1]?.shape, inputs[2]?.shape))],
  SoftmaxCrossEntropyWithLogits: crossEntropy,
  SparseSoftmaxCrossEntropyWithLogits: ({ inputs }) => [inputs[1]?.shape, inputs[0]?.shape],
};

function reduce({ inputs: [input, axes], attrs }: ShapeContext): PartialShape[] {
  const keep = attrs.bool('keep_dims');
  const shape = input?.shape;
  if (!shape) return [undefined];
  if (!axes?.constant) return [keep ? shape.map(() => UNKNOWN) : axes?.shape?.[0] === 0 ? shape : undefined];
  const reduced = new Set(axes.constant.map((axis) => normalizeAxis(axis, shape.length)));
  return [keep ? shape.map((dim, i) => (reduced.has(i) ? 1 : dim)) : shape.filter((_, i) => !reduced.has(i))];
}

function argReduce({ inputs: [input, axis] }: ShapeContext): PartialShape[] {
  const [shape, constant] = [input?.shape, axis?.constant?.[0]];
  if (!shape) return [undefined];
  if (constant === undefined) return [new Array<number>(Math.max(shape.length - 1, 0)).fill(UNKNOWN)];
  const reduced = normalizeAxis(constant, shape.length);
  return [shape.filter((_, i) => i !== reduced)];
}

function matMul({ inputs: [a, b], attrs }: ShapeContext): PartialShape[] {
  const left = matrix(a?.shape, attrs.bool('transpose_a'));
  const right = matrix(b?.shape, attrs.bool('transpose_b'));
  mergeDims(left[1], right[0]);
  return [[left[0], right[1]]];
}

function matrix(shape: PartialShape, transposed: boolean): [number, number] {
  const [rows, columns] = shape ?? [UNKNOWN, UNKNOWN];
  if (rows === undefined || columns === undefined || (shape && shape.length > 2)) {
    throw invalidArgument(`Shape must be rank 2 but is rank ${shape?.length}`);
  }
  return transposed ? [columns, rows] : [rows, columns];
}

function batchMatMul({ inputs: [a, b], attrs }: ShapeContext): PartialShape[] {
  if (!a?.shape || !b?.shape) return [undefined];
  const left = matrix(a.shape.slice(-2), attrs.bool('adj_x'));
  const right = matrix(b.shape.slice(-2), attrs.bool('adj_y'));
  mergeDims(left[1], right[0]);
  const batch = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2)) ?? [];
  return [[...batch, left[0], right[1]]];
}

function channels(shape: PartialShape, format: string): number {
  return (format === 'NCHW' ? shape?.[1] : shape?.at(-1)) ?? UNKNOWN;
}

function crossEntropy({ inputs: [logits, labels] }: ShapeContext): PartialShape[] {
  const both = broadcastShapes(logits?.shape, labels?.shape);
  return [both?.slice(0, 1), both];
}

function range({ inputs }: ShapeContext): PartialShape[] {
  const [start, limit, delta] = inputs.map(({ constant }) => constant?.[0]);
  if (start === undefined || limit === undefined || !delta) return [[UNKNOWN]];
  return [[Math.max(0, Math.ceil((limit - start) / delta))]];
}
