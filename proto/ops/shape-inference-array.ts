import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { type PartialShape, partialShape } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { isFullyKnown, joinShapes, mergeShapes, normalizeAxis, productOf, UNKNOWN } from './shape-algebra.ts';
import { type ShapeContext, type ShapeFunction, table } from './shape-function.ts';
import { stridedSlice } from './shape-inference-slice.ts';

const passThrough = `Identity StopGradient PreventGradient Snapshot ZerosLike OnesLike RefIdentity Enter RefEnter Exit RefExit
  NextIteration RefNextIteration LoopCond Reverse ReverseV2 RandomShuffle DebugGradientIdentity`;

export const arrayShapes: Readonly<Record<string, ShapeFunction>> = {
  ...table(passThrough, ({ inputs }) => [inputs[0]?.shape]),
  ...table('Fill RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt', ({ inputs }) => [shapeOfValue(inputs[0])]),
  ...table('Switch RefSwitch', ({ inputs }) => [inputs[0]?.shape, inputs[0]?.shape]),
  ...table('Merge RefMerge', merge),
  ...table('Shape', ({ inputs }) => [[inputs[0]?.shape?.length ?? UNKNOWN]]),
  ...table('Rank Size', () => [[]]),
  BroadcastTo: ({ inputs }) => [shapeOfValue(inputs[1])],
  ConcatV2: concat,
  Const: ({ attrs }) => [constShape(attrs.values['value'])],
  ExpandDims: expandDims,
  Gather: ({ inputs: [params, indices] }) => [gathered(params?.shape, indices?.shape, 0)],
  GatherV2: gatherV2,
  IdentityN: ({ inputs }) => inputs.map(({ shape }) => shape),
  InvertPermutation: ({ inputs }) => [inputs[0]?.shape],
  OneHot: oneHot,
  Pack: pack,
  Pad: pad,
  Placeholder: ({ attrs }) => [attrs.shape('shape')],
  PlaceholderWithDefault: ({ attrs }) => [attrs.shape('shape')],
  Reshape: reshape,
  ShapeN: ({ inputs }) => inputs.map(({ shape }) => [shape?.length ?? UNKNOWN]),
  Slice: slice,
  Squeeze: squeeze,
  StridedSlice: stridedSlice,
  Tile: tile,
  Transpose: transpose,
  Unpack: unpack,
  Where: ({ inputs }) => [[UNKNOWN, inputs[0]?.shape?.length ?? UNKNOWN]],
};

/** The shape that an input's value describes; its rank at least, when only the number of elements is known. */
function shapeOfValue(input: ShapeContext['inputs'][number] | undefined): PartialShape {
  if (input?.constant) return input.constant;
  const rank = input?.shape?.[0];
  return rank === undefined || rank === UNKNOWN ? undefined : new Array<number>(rank).fill(UNKNOWN);
}

/** Read off the message: decoding the elements would be work for nothing. */
function constShape(attr: AttrValue | undefined): PartialShape {
  const tensor = attr?.value.case === 'tensor' ? attr.value.value : undefined;
  return tensor?.tensorShape ? partialShape(tensor.tensorShape) : [];
}

function merge({ inputs }: ShapeContext): PartialShape[] {
  const [first, ...rest] = inputs.map(({ shape }) => shape);
  return [rest.reduce(joinShapes, first), []];
}

function concat({ inputs }: ShapeContext): PartialShape[] {
  const values = inputs.slice(0, -1).map(({ shape }) => shape);
  const axis = inputs.at(-1)?.constant?.[0];
  const rank = values.find((shape) => shape)?.length;
  if (rank === undefined) return [undefined];
  if (axis === undefined) return [new Array<number>(rank).fill(UNKNOWN)];
  const at = normalizeAxis(axis, rank);
  const others = values.map((shape) => shape?.map((dim, i) => (i === at ? UNKNOWN : dim))).reduce(mergeShapes, undefined);
  const sizes = values.map((shape) => shape?.[at] ?? UNKNOWN);
  const total = sizes.includes(UNKNOWN) ? UNKNOWN : sizes.reduce((sum, size) => sum + size, 0);
  return [others?.map((dim, i) => (i === at ? total : dim))];
}

function expandDims({ inputs: [input, axis] }: ShapeContext): PartialShape[] {
  const [shape, constant] = [input?.shape, axis?.constant?.[0]];
  if (!shape) return [undefined];
  if (constant === undefined) return [new Array<number>(shape.length + 1).fill(UNKNOWN)];
  return [shape.toSpliced(normalizeAxis(constant, shape.length + 1), 0, 1)];
}

function gathered(params: PartialShape, indices: PartialShape, axis: number): PartialShape {
  if (!params || !indices) return undefined;
  return params.toSpliced(normalizeAxis(axis, params.length), 1, ...indices);
}

function gatherV2({ inputs: [params, indices, axis], attrs }: ShapeContext): PartialShape[] {
  const constant = axis?.constant?.[0];
  if (constant === undefined || attrs.int('batch_dims') !== 0) return [undefined];
  return [gathered(params?.shape, indices?.shape, constant)];
}

function oneHot({ inputs: [indices, depth], attrs }: ShapeContext): PartialShape[] {
  const shape = indices?.shape;
  if (!shape) return [undefined];
  return [shape.toSpliced(normalizeAxis(attrs.int('axis'), shape.length + 1), 0, depth?.constant?.[0] ?? UNKNOWN)];
}

function pack({ inputs, attrs }: ShapeContext): PartialShape[] {
  const element = inputs.map(({ shape }) => shape).reduce(mergeShapes, undefined);
  return [element?.toSpliced(normalizeAxis(attrs.int('axis'), element.length + 1), 0, inputs.length)];
}

function pad({ inputs: [input, paddings] }: ShapeContext): PartialShape[] {
  const widths = paddings?.constant;
  return [input?.shape?.map((dim, i) => (dim === UNKNOWN || !widths ? UNKNOWN : dim + (widths[2 * i] ?? 0) + (widths[2 * i + 1] ?? 0)))];
}

function reshape({ inputs: [input, target] }: ShapeContext): PartialShape[] {
  const wanted = shapeOfValue(target);
  if (!target?.constant || !wanted || !isFullyKnown(input?.shape)) return [wanted];
  const size = productOf(input.shape);
  const rest = productOf(wanted.filter((dim) => dim !== UNKNOWN));
  const hole = wanted.includes(UNKNOWN);
  if (hole ? rest !== 0 && size % rest !== 0 : rest !== size) {
    throw invalidArgument(`Cannot reshape a tensor with ${size} elements to shape [${wanted}] (${rest} elements)`);
  }
  return [wanted.map((dim) => (dim === UNKNOWN ? (rest === 0 ? UNKNOWN : size / rest) : dim))];
}

function slice({ inputs: [input, begin, size] }: ShapeContext): PartialShape[] {
  const [shape, starts, sizes] = [input?.shape, begin?.constant, size?.constant];
  if (!sizes) return [shape?.map(() => UNKNOWN)];
  return [
    sizes.map((count, i) => {
      if (count !== -1) return count;
      const [dim, start] = [shape?.[i] ?? UNKNOWN, starts?.[i]];
      return dim === UNKNOWN || start === undefined ? UNKNOWN : dim - start;
    }),
  ];
}

function squeeze({ inputs: [input], attrs }: ShapeContext): PartialShape[] {
  const shape = input?.shape;
  if (!shape) return [undefined];
  const axes = attrs.ints('squeeze_dims').map((axis) => normalizeAxis(axis, shape.length));
  if (axes.length === 0) return [shape.includes(UNKNOWN) ? undefined : shape.filter((dim) => dim !== 1)];
  for (const axis of axes) {
    const dim = shape[axis];
    if (dim !== 1 && dim !== UNKNOWN) throw invalidArgument(`Can not squeeze dim[${axis}], expected a dimension of 1, got ${dim}`);
  }
  return [shape.filter((_, i) => !axes.includes(i))];
}

function tile({ inputs: [input, multiples] }: ShapeContext): PartialShape[] {
  const times = multiples?.constant;
  return [input?.shape?.map((dim, i) => (dim === UNKNOWN || !times ? UNKNOWN : dim * (times[i] ?? 1)))];
}

function transpose({ inputs: [input, permutation] }: ShapeContext): PartialShape[] {
  const [shape, order] = [input?.shape, permutation?.constant];
  if (!shape || !order) return [shape?.map(() => UNKNOWN)];
  return [order.map((axis) => shape[axis] ?? UNKNOWN)];
}

function unpack({ inputs: [input], attrs }: ShapeContext): PartialShape[] {
  const shape = input?.shape;
  const count = attrs.int('num');
  if (!shape) return new Array<PartialShape>(count).fill(undefined);
  const axis = normalizeAxis(attrs.int('axis'), shape.length);
  return new Array<PartialShape>(count).fill(shape.filter((_, i) => i !== axis));
}
