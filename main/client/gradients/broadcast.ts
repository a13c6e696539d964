import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import type { Output } from '../graph/node.ts';
import type { Ops } from '../ops/index.ts';
import { type GradientContext, type GradientFunction, input } from './gradient-function.ts';

type Pair = readonly [Output | undefined, Output | undefined];

/** The gradient function of an op with two operands that may be broadcast; `make` gives the gradients in the broadcast shape. */
export function broadcasting(make: (context: GradientContext, x: Output, y: Output) => Pair): GradientFunction {
  return (context) => {
    const [x, y] = [input(context, 0), input(context, 1)];
    return reducePair(context.o, x, y, make(context, x, y));
  };
}

/** Sums away the dimensions that broadcasting added or stretched. */
function reducePair(o: Ops, x: Output, y: Output, [gx, gy]: Pair): Pair {
  if (isFullyKnown(x.shape) && isFullyKnown(y.shape)) {
    return [gx && sumTo(o, gx, x.shape, y.shape), gy && sumTo(o, gy, y.shape, x.shape)];
  }
  const [sx, sy] = [o.shape(x), o.shape(y)];
  const axes = x.graph.op('BroadcastGradientArgs', [sx, sy]);
  return [gx && o.reshape(o.reduceSum(gx, axes.output(0)), sx), gy && o.reshape(o.reduceSum(gy, axes.output(1)), sy)];
}

function sumTo(o: Ops, grad: Output, own: readonly number[], other: readonly number[]): Output {
  const rank = Math.max(own.length, other.length);
  const axes: number[] = [];
  for (let axis = 0; axis < rank; axis++) {
    const [mine, theirs] = [own[axis - rank + own.length], other[axis - rank + other.length]];
    if (mine === undefined || (mine === 1 && theirs !== undefined && theirs !== 1)) axes.push(axis);
  }
  return axes.length === 0 ? grad : o.reshape(o.reduceSum(grad, axes), own);
}
