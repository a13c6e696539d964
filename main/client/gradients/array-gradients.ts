import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import { unimplemented } from '#proto/wire/status.ts';
import { constantValue } from '../graph/constant-value.ts';
import type { Output } from '../graph/node.ts';
import { type GradientContext, type GradientTable, input, toFirst } from './gradient-function.ts';

const pass = toFirst(({ grad }) => grad);
/** Back to the shape that the input had. */
const reshapeBack = toFirst((context) => context.o.reshape(context.grad, context.o.shape(input(context, 0))));

export const arrayGradients: GradientTable = {
  Identity: pass,
  PlaceholderWithDefault: pass,
  CheckNumerics: pass,
  Snapshot: pass,
  IdentityN: ({ grads }) => grads,
  Reshape: reshapeBack,
  ExpandDims: reshapeBack,
  Squeeze: reshapeBack,
  Transpose: toFirst((context) => {
    const { o, node, grad } = context;
    return o.transpose(grad, node.graph.op('InvertPermutation', [input(context, 1)]).output());
  }),
  Fill: ({ o, grad }) => [undefined, o.reduceSum(grad)],
  BroadcastTo: toFirst((context) => {
    const { o, node, grad } = context;
    const shape = o.shape(input(context, 0));
    const axes = node.graph.op('BroadcastGradientArgs', [shape, o.shape(node.output())]);
    return o.reshape(o.reduceSum(grad, axes.output(0)), shape);
  }),
  ConcatV2: concat,
  Split: (context) => [
    undefined,
    context.o.concat(
      context.grads.map((grad, i) => grad ?? zerosFor(context, i)),
      input(context, 0),
    ),
  ],
  Pack: ({ o, node, grad }) => o.unstack(grad, intAttr({ node }, 'axis'), { count: node.inputs.length }),
  Unpack: (context) => [
    context.o.stack(
      context.grads.map((grad, i) => grad ?? zerosFor(context, i)),
      intAttr(context, 'axis'),
    ),
  ],
  Slice: toFirst(slice),
  StridedSlice: toFirst(stridedSlice),
  Pad: toFirst((context) => {
    const { o, grad } = context;
    const x = input(context, 0);
    const before = o.reshape(o.slice(input(context, 1), [0, 0], [-1, 1]), [-1]);
    return o.slice(grad, o.cast(before, 'int32'), o.shape(x));
  }),
  Tile: toFirst(tile),
  Gather: toFirst((context) => scatterRows(context, context.grad, input(context, 0))),
  GatherV2: toFirst(gatherV2),
  Select: select,
  SelectV2: selectV2,
};

function intAttr({ node }: Pick<GradientContext, 'node'>, name: string): number {
  const attr = node.attrs[name]?.value;
  return attr?.case === 'i' ? Number(attr.value) : 0;
}

function zerosFor({ o, node }: GradientContext, output: number): Output {
  return o.zerosLike(node.output(output));
}

function concat(context: GradientContext): readonly (Output | undefined)[] {
  const { o, node, grad } = context;
  const values = node.inputs.slice(0, -1);
  const shapes = values.map((value) => o.shape(value));
  const axis = o.cast(input(context, values.length), 'int32');
  const rank = o.rank(input(context, 0));
  const offsets = node.graph.op('ConcatOffset', [o.floorMod(o.add(axis, rank), rank), shapes]).outputs;
  const parts = values.map((_, i) => o.slice(grad, offsets[i] as Output, shapes[i] as Output));
  return [...parts, undefined];
}

/** Zeros around the slice. */
function slice(context: GradientContext): Output {
  const { o, node, grad } = context;
  const before = o.cast(input(context, 1), 'int32');
  const after = o.sub(o.sub(o.shape(input(context, 0)), o.shape(node.output())), before);
  return o.pad(grad, o.stack([before, after], 1));
}

function stridedSlice(context: GradientContext): Output {
  const { o, node, grad } = context;
  const [, begin, end, strides] = node.inputs;
  const names = ['begin_mask', 'end_mask', 'ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask'];
  const masks = Object.fromEntries(names.map((name) => [name, intAttr(context, name)]));
  const index = begin?.dtype ?? 'int32';
  const shape = o.cast(o.shape(input(context, 0)), index);
  return node.graph.op('StridedSliceGrad', [shape, begin as Output, end as Output, strides as Output, grad], masks).output();
}

/** The repetitions lie along dimensions of their own, over which the gradient is summed. */
function tile(context: GradientContext): Output {
  const { o, grad } = context;
  const [x, multiples] = [input(context, 0), o.cast(input(context, 1), 'int32')];
  const shape = o.shape(x);
  const interleaved = o.reshape(o.transpose(o.stack([multiples, shape])), [-1]);
  const rank = x.shape?.length;
  const axes = rank === undefined ? o.range(0, o.size(interleaved), 2) : Array.from({ length: rank }, (_, i) => 2 * i);
  return o.reshape(o.reduceSum(o.reshape(grad, interleaved), axes), shape);
}

/** Rows along another axis than the first: brought to the front, scattered, brought back. */
function gatherV2(context: GradientContext): Output {
  const { o } = context;
  const [params, indices] = [input(context, 0), input(context, 1)];
  const axis = gatherAxis(context, params);
  if (axis === 0) return scatterRows(context, context.grad, params);
  if (!params.shape || !indices.shape) {
    throw unimplemented(`The gradient of '${context.node.name}' needs the ranks of its inputs, as it gathers along axis ${axis}`);
  }
  const [rank, width] = [params.shape.length, indices.shape.length];
  const before = Array.from({ length: axis }, (_, i) => i);
  const after = Array.from({ length: rank - axis - 1 }, (_, i) => axis + 1 + i);
  const gathered = Array.from({ length: width }, (_, i) => axis + i);
  const front = o.transpose(context.grad, [...gathered, ...before, ...after.map((dim) => dim + width - 1)]);
  const order = [axis, ...before, ...after];
  const turned = o.transpose(params, order);
  return o.transpose(
    scatterRows(context, front, turned),
    order.map((_, dim) => order.indexOf(dim)),
  );
}

function gatherAxis({ node }: GradientContext, params: Output): number {
  const axis = node.inputs[2] && constantValue(node.inputs[2])?.[0];
  if (axis === undefined)
    throw unimplemented(`The gradient of '${node.name}' (GatherV2) needs an axis that is known while the graph is built`);
  return axis < 0 ? axis + (params.shape?.length ?? 0) : axis;
}

/** Each row's gradient is the sum of those of its copies. `params` and `grad` have the rows along the first dimension. */
function scatterRows(context: GradientContext, grad: Output, params: Output): Output {
  const { o, node } = context;
  const [shape, indices] = [o.shape(params), input(context, 1)];
  const rows = o.concat([o.reshape(o.size(indices), [1]), o.stridedSlice(shape, [1], [0], { endMask: 1 })], 0);
  const count = o.stridedSlice(shape, [0], [1], { shrinkAxisMask: 1 });
  return node.graph.op('UnsortedSegmentSum', [o.reshape(grad, rows), o.reshape(indices, [-1]), count]).output();
}

/** One condition for each row or element: zeros stand in for what was not chosen. */
function select({ o, node, grad }: GradientContext): readonly (Output | undefined)[] {
  const zeros = o.zerosLike(grad);
  const pick = (x: Output, y: Output): Output => node.graph.op('Select', [node.inputs[0] as Output, x, y]).output();
  return [undefined, pick(grad, zeros), pick(zeros, grad)];
}

function selectV2(context: GradientContext): readonly (Output | undefined)[] {
  const { o, grad } = context;
  const [condition, x, y] = [input(context, 0), input(context, 1), input(context, 2)];
  const zeros = o.zerosLike(grad);
  const sumTo = (to: Output, part: Output): Output => {
    if (isFullyKnown(to.shape) && isFullyKnown(grad.shape) && String(to.shape) === String(grad.shape)) return part;
    const axes = grad.graph.op('BroadcastGradientArgs', [o.shape(to), o.shape(grad)]);
    return o.reshape(o.reduceSum(part, axes.output(0)), o.shape(to));
  };
  return [undefined, sumTo(x, o.where(condition, grad, zeros)), sumTo(y, o.where(condition, zeros, grad))];
}
