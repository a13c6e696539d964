import { isFullyKnown, normalizeAxis, productOf } from '#proto/ops/shape-algebra.ts';
import { constantValue } from '../graph/constant-value.ts';
import type { Output } from '../graph/node.ts';
import { type GradientContext, type GradientTable, input, toFirst } from './gradient-function.ts';

export const reductionGradients: GradientTable = {
  Sum: toFirst((context) => spread(context, context.grad)),
  Mean: toFirst((context) => context.o.div(spread(context, context.grad), meanCount(context))),
  Max: toFirst(sharedAmongEqual),
  Min: toFirst(sharedAmongEqual),
  Prod: toFirst(productOfOthers),
};

/** A reduced tensor brought back to the shape of the reduction's input: each element repeated along the reduced axes. */
function spread(context: GradientContext, reduced: Output): Output {
  const { o, node } = context;
  const x = input(context, 0);
  const kept = keptShape(context);
  if (kept && isFullyKnown(x.shape)) {
    const multiples = x.shape.map((dim, i) => (kept[i] === 1 ? dim : 1));
    return o.tile(o.reshape(reduced, kept), multiples);
  }
  return node.graph.op('BroadcastTo', [o.reshape(reduced, keptShapeTensor(context)), o.shape(x)]).output();
}

/** Shape of the result as if the reduced dimensions had been kept with size 1; undefined unless it is known. */
function keptShape(context: GradientContext): number[] | undefined {
  const { shape } = input(context, 0);
  const axes = constantValue(input(context, 1));
  if (!isFullyKnown(shape) || !axes) return undefined;
  const reduced = new Set(axes.map((axis) => normalizeAxis(axis, shape.length)));
  return shape.map((dim, i) => (reduced.has(i) ? 1 : dim));
}

/** The same when it is only known in the run: the input's shape with ones put in at the axes. */
function keptShapeTensor(context: GradientContext): Output {
  const { o, node } = context;
  const [x, axes] = [input(context, 0), o.cast(input(context, 1), 'int32')];
  const rank = o.rank(x);
  const positive = o.floorMod(o.add(axes, rank), rank);
  return node.graph
    .op('DynamicStitch', [
      [o.range(0, rank), positive],
      [o.shape(x), o.onesLike(positive)],
    ])
    .output();
}

/** How many elements went into each mean, in the gradient's dtype. */
function meanCount(context: GradientContext): Output {
  const { o, node, grad } = context;
  const [from, to] = [input(context, 0), node.output()];
  if (isFullyKnown(from.shape) && isFullyKnown(to.shape)) {
    return o.constant(productOf(from.shape) / Math.max(productOf(to.shape), 1), { dtype: grad.dtype });
  }
  const count = o.floorDiv(o.reduceProd(o.shape(from)), o.maximum(o.reduceProd(o.shape(to)), 1));
  return o.cast(count, grad.dtype);
}

/** Equal elements share the gradient of the greatest (or least) one. */
function sharedAmongEqual(context: GradientContext): Output {
  const { o, node, grad } = context;
  const x = input(context, 0);
  const shape = keptShape(context) ?? keptShapeTensor(context);
  const isExtreme = o.cast(o.equal(x, o.reshape(node.output(), shape)), grad.dtype);
  const count = o.reshape(o.reduceSum(isExtreme, input(context, 1)), shape);
  return o.mul(o.div(isExtreme, count), o.reshape(grad, shape));
}

/** The product of all other elements, so that a zero does no harm: running products from both ends of the flattened axes. */
function productOfOthers(context: GradientContext): Output {
  const { o, node, grad } = context;
  const x = input(context, 0);
  const axes = constantValue(input(context, 1));
  if (!x.shape || !axes) return o.mul(spread(context, o.mul(grad, node.output())), o.reciprocal(x));
  const rank = x.shape.length;
  const reduced = [...new Set(axes.map((axis) => normalizeAxis(axis, rank)))].sort((a, b) => a - b);
  const others = [...x.shape.keys()].filter((axis) => !reduced.includes(axis));
  const order = [...reduced, ...others];
  const permuted = o.transpose(x, order);
  const sizes = o.shape(permuted);
  const split = (from: number, to: number): Output => o.reduceProd(o.stridedSlice(sizes, [from], [to]));
  const flat = o.reshape(permuted, o.stack([split(0, reduced.length), split(reduced.length, rank)]));
  const running = (reverse: boolean): Output => node.graph.op('Cumprod', [flat, 0], { exclusive: true, reverse }).output();
  const back = order.map((_, axis) => order.indexOf(axis));
  const product = o.transpose(o.reshape(o.mul(running(false), running(true)), sizes), back);
  return o.mul(spread(context, grad), product);
}
