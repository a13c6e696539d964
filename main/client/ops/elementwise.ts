import type { GraphBuilder, OpOptions, Output, TensorInput } from '../graph/node.ts';

type Unary = (graph: GraphBuilder, x: TensorInput, options?: OpOptions) => Output;
type Binary = (graph: GraphBuilder, x: TensorInput, y: TensorInput, options?: OpOptions) => Output;

/** One tensor in, one of the same shape out. */
export function unary(type: string): Unary {
  return (graph, x, options) => graph.op(type, [x], {}, options).output();
}

/** Two tensors of one dtype in, whose shapes are broadcast against each other as in NumPy. A plain value takes the dtype of the other. */
export function binary(type: string, name = type): Binary {
  return (graph, x, y, options) => graph.op(type, [x, y], {}, { name, ...options }).output();
}

/** Ops that work element by element. Unless said otherwise the result has the dtype and the (broadcast) shape of the inputs. */
export const elementwiseOps = {
  /** |x|, for signed numbers. */
  abs: unary('Abs'),
  /** −x. */
  neg: unary('Neg'),
  /** −1, 0 or 1. */
  sign: unary('Sign'),
  /** 1/x, for floats and complex numbers. */
  reciprocal: unary('Reciprocal'),
  /** x². */
  square: unary('Square'),
  /** √x, for floats and complex numbers. */
  sqrt: unary('Sqrt'),
  /** 1/√x. */
  rsqrt: unary('Rsqrt'),
  /** eˣ. */
  exp: unary('Exp'),
  /** eˣ − 1, exact near 0. */
  expm1: unary('Expm1'),
  /** Natural logarithm. */
  log: unary('Log'),
  /** ln(1 + x), exact near 0. */
  log1p: unary('Log1p'),
  sin: unary('Sin'),
  cos: unary('Cos'),
  tan: unary('Tan'),
  sinh: unary('Sinh'),
  cosh: unary('Cosh'),
  tanh: unary('Tanh'),
  /** 1/(1 + e⁻ˣ). */
  sigmoid: unary('Sigmoid'),
  /** Gauss error function. */
  erf: unary('Erf'),
  floor: unary('Floor'),
  ceil: unary('Ceil'),
  /** To the nearest integer; halves to the even one. */
  round: unary('Round'),
  /** Which elements are NaN; bool. */
  isNan: unary('IsNan'),
  /** Which elements are infinite; bool. */
  isInf: unary('IsInf'),
  /** Which elements are finite; bool. */
  isFinite: unary('IsFinite'),
  /** Not x; bool in and out. */
  logicalNot: unary('LogicalNot'),
  /** max(x, 0). */
  relu: unary('Relu'),
  /** min(max(x, 0), 6). */
  relu6: unary('Relu6'),
  /** x where positive, else eˣ − 1. */
  elu: unary('Elu'),
  /** ln(1 + eˣ). */
  softplus: unary('Softplus'),
  /** x/(1 + |x|). */
  softsign: unary('Softsign'),
  /** Softmax over the last dimension. */
  softmax: unary('Softmax'),
  /** Logarithm of the softmax over the last dimension. */
  logSoftmax: unary('LogSoftmax'),
  /** Zeros of the same dtype and shape. */
  zerosLike: unary('ZerosLike'),
  /** Ones of the same dtype and shape. */
  onesLike: unary('OnesLike'),

  /** x + y; joins strings too. */
  add: binary('AddV2', 'Add'),
  /** x − y. */
  sub: binary('Sub'),
  /** x · y. */
  mul: binary('Mul'),
  /** x / y. Integers are truncated towards zero. */
  div: binary('RealDiv', 'truediv'),
  /** x / y, and 0 where y is 0. Floats only. */
  divNoNan: binary('DivNoNan', 'div_no_nan'),
  /** ⌊x / y⌋. */
  floorDiv: binary('FloorDiv', 'floordiv'),
  /** x − ⌊x / y⌋ · y: the sign is that of y. */
  floorMod: binary('FloorMod', 'mod'),
  /** xʸ. */
  pow: binary('Pow'),
  maximum: binary('Maximum'),
  minimum: binary('Minimum'),
  /** (x − y)². */
  squaredDifference: binary('SquaredDifference'),
  /** x = y; bool. */
  equal: binary('Equal'),
  /** x ≠ y; bool. */
  notEqual: binary('NotEqual'),
  /** x < y; bool. */
  less: binary('Less'),
  /** x ≤ y; bool. */
  lessEqual: binary('LessEqual'),
  /** x > y; bool. */
  greater: binary('Greater'),
  /** x ≥ y; bool. */
  greaterEqual: binary('GreaterEqual'),
  /** x and y; bool in and out. */
  logicalAnd: binary('LogicalAnd'),
  /** x or y; bool in and out. */
  logicalOr: binary('LogicalOr'),
};
