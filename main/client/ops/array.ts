import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import type { PartialShape } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, makeTensor, sizeOf } from '#proto/wire/tensor.ts';
import type { GraphBuilder, OpOptions, Output, TensorInput } from '../graph/node.ts';
import { toTensor, type Value } from '../graph/values.ts';

/** A shape that is known now, or an int32 or int64 vector that holds it when the step runs. */
export type ShapeInput = readonly number[] | Output;

export interface ConstantOptions extends OpOptions {
  readonly dtype?: DType;
  /** Shape of the result; a single element fills it. */
  readonly shape?: readonly number[];
}

export interface DTypeOptions extends OpOptions {
  readonly dtype?: DType;
}

export interface StridedSliceOptions extends OpOptions {
  readonly strides?: readonly number[];
  /** Bit i: ignore `begin[i]` and start at the edge. The other masks alike. */
  readonly beginMask?: number;
  readonly endMask?: number;
  readonly ellipsisMask?: number;
  readonly newAxisMask?: number;
  /** Bit i: take the one element at `begin[i]` and drop the dimension. */
  readonly shrinkAxisMask?: number;
}

/** Ops that make, arrange and select elements. */
export const arrayOps = {
  /**
   * A tensor that is part of the graph. A plain number becomes float unless `dtype` says otherwise.
   * @throws StatusError INVALID_ARGUMENT when the value does not fit dtype or shape.
   */
  constant(graph: GraphBuilder, value: Value, { dtype, shape, name = 'Const', ...options }: ConstantOptions = {}): Output {
    const given = toTensor(value, dtype);
    const tensor = shape ? filled(given, shape) : given;
    return graph.op('Const', [], { dtype: tensor.dtype, value: tensor }, { name, ...options }).output();
  },

  /** A tensor that must be fed in every run that needs it. -1 in `shape`: any size; no shape: anything. */
  placeholder(graph: GraphBuilder, dtype: DType, shape?: PartialShape, options?: OpOptions): Output {
    return graph.op('Placeholder', [], { dtype, shape: shape ?? null }, options).output();
  },

  /** A tensor that may be fed, and else is `input`. */
  placeholderWithDefault(graph: GraphBuilder, input: TensorInput, shape: PartialShape, options?: OpOptions): Output {
    return graph.op('PlaceholderWithDefault', [input], { shape: shape ?? null }, options).output();
  },

  /** A tensor of zeros; float by default. */
  zeros(graph: GraphBuilder, shape: ShapeInput, { dtype = 'float', name = 'zeros', ...options }: DTypeOptions = {}): Output {
    return uniform(graph, shape, 0, dtype, { name, ...options });
  },

  /** A tensor of ones; float by default. */
  ones(graph: GraphBuilder, shape: ShapeInput, { dtype = 'float', name = 'ones', ...options }: DTypeOptions = {}): Output {
    return uniform(graph, shape, 1, dtype, { name, ...options });
  },

  /** A tensor of the given shape, all elements equal to a scalar. */
  fill(graph: GraphBuilder, shape: ShapeInput, value: TensorInput, options?: OpOptions): Output {
    return graph.op('Fill', [shape, value], {}, options).output();
  },

  /** The same tensor under a node of its own. */
  identity(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    return graph.op('Identity', [x], {}, options).output();
  },

  /** The same tensor; gradients do not pass. */
  stopGradient(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    return graph.op('StopGradient', [x], {}, options).output();
  },

  /** Shape of a tensor as an int32 vector: a Const when it is known already. */
  shape(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    const input = graph.convert(x);
    if (isFullyKnown(input.shape)) return arrayOps.constant(graph, new Int32Array(input.shape), { name: 'Shape', ...options });
    return graph.op('Shape', [input], {}, options).output();
  },

  /** Number of dimensions; int32 scalar. */
  rank(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    return graph.op('Rank', [x], {}, options).output();
  },

  /** Number of elements; int32 scalar. */
  size(graph: GraphBuilder, x: TensorInput, options?: OpOptions): Output {
    return graph.op('Size', [x], {}, options).output();
  },

  /** The same elements in another shape; one dimension may be -1 and follows from the others. */
  reshape(graph: GraphBuilder, x: TensorInput, shape: ShapeInput, options?: OpOptions): Output {
    return graph.op('Reshape', [x, shape], {}, options).output();
  },

  /** Dimensions in another order; reversed by default. */
  transpose(graph: GraphBuilder, x: TensorInput, permutation?: readonly number[] | Output, options?: OpOptions): Output {
    const input = graph.convert(x);
    const order = permutation ?? reversed(input);
    return graph.op('Transpose', [input, order], {}, { name: 'transpose', ...options }).output();
  },

  /** A new dimension of size 1 at `axis`. */
  expandDims(graph: GraphBuilder, x: TensorInput, axis: number, options?: OpOptions): Output {
    return graph.op('ExpandDims', [x, axis], {}, options).output();
  },

  /** Without the dimensions of size 1, or without those given. */
  squeeze(graph: GraphBuilder, x: TensorInput, axes: readonly number[] = [], options?: OpOptions): Output {
    return graph.op('Squeeze', [x], { squeeze_dims: axes }, options).output();
  },

  /** Tensors one after the other along an existing axis. */
  concat(graph: GraphBuilder, values: readonly TensorInput[], axis: number | Output, options?: OpOptions): Output {
    return graph.op('ConcatV2', [values, axis], {}, { name: 'concat', ...options }).output();
  },

  /** Tensors of one shape along a new axis. */
  stack(graph: GraphBuilder, values: readonly TensorInput[], axis = 0, options?: OpOptions): Output {
    return graph.op('Pack', [values], { axis }, { name: 'stack', ...options }).output();
  },

  /** The parts of a tensor along an axis whose size is known, or given as `count`. */
  unstack(graph: GraphBuilder, x: TensorInput, axis = 0, { count, ...options }: OpOptions & { count?: number } = {}): readonly Output[] {
    const input = graph.convert(x);
    const num = count ?? input.shape?.at(axis) ?? -1;
    if (num < 0) throw invalidArgument(`The size of ${input.name} along axis ${axis} is not known; give the count`);
    return graph.op('Unpack', [input], { num, axis }, { name: 'unstack', ...options }).outputs;
  },

  /** Equal parts of a tensor along an axis. */
  split(graph: GraphBuilder, x: TensorInput, parts: number, axis = 0, options?: OpOptions): readonly Output[] {
    return graph.op('Split', [axis, x], { num_split: parts }, { name: 'split', ...options }).outputs;
  },

  /** `size` elements from `begin` on, in each dimension; -1 means up to the end. */
  slice(graph: GraphBuilder, x: TensorInput, begin: ShapeInput, size: ShapeInput, options?: OpOptions): Output {
    return graph.op('Slice', [x, begin, size], {}, options).output();
  },

  /** `x[begin:end:strides]`, each dimension by itself. */
  stridedSlice(graph: GraphBuilder, x: TensorInput, begin: ShapeInput, end: ShapeInput, options: StridedSliceOptions = {}): Output {
    const { strides, beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask, ...rest } = options;
    const masks = {
      begin_mask: beginMask ?? 0,
      end_mask: endMask ?? 0,
      ellipsis_mask: ellipsisMask ?? 0,
      new_axis_mask: newAxisMask ?? 0,
      shrink_axis_mask: shrinkAxisMask ?? 0,
    };
    const steps = strides ?? new Array<number>(Array.isArray(begin) ? begin.length : 1).fill(1);
    return graph.op('StridedSlice', [x, begin, end, steps], masks, { name: 'strided_slice', ...rest }).output();
  },

  /** The slices of `params` along `axis` that `indices` names. */
  gather(graph: GraphBuilder, params: TensorInput, indices: TensorInput, axis = 0, options?: OpOptions): Output {
    const positions = isPlain(indices) ? graph.convert(indices, { dtype: 'int32', name: 'indices' }) : indices;
    return graph.op('GatherV2', [params, positions, axis], {}, options).output();
  },

  /** The tensor repeated along each dimension. */
  tile(graph: GraphBuilder, x: TensorInput, multiples: ShapeInput, options?: OpOptions): Output {
    return graph.op('Tile', [x, multiples], {}, options).output();
  },

  /** Zeros before and after, a pair of widths for each dimension. */
  pad(graph: GraphBuilder, x: TensorInput, paddings: readonly (readonly [number, number])[] | Output, options?: OpOptions): Output {
    return graph.op('Pad', [x, paddings], {}, options).output();
  },

  /** x where the condition holds, y elsewhere; all three are broadcast. */
  where(graph: GraphBuilder, condition: TensorInput, x: TensorInput, y: TensorInput, options?: OpOptions): Output {
    return graph.op('SelectV2', [condition, x, y], {}, options).output();
  },

  /** Vectors with a 1 at the given index and 0 elsewhere; float by default. */
  oneHot(graph: GraphBuilder, indices: TensorInput, depth: number, { dtype = 'float', name = 'one_hot' }: DTypeOptions = {}): Output {
    const positions = isPlain(indices) ? graph.convert(indices, { dtype: 'int32', name: 'indices' }) : indices;
    const on = graph.convert(1, { dtype, name: 'on_value' });
    const off = graph.convert(0, { dtype, name: 'off_value' });
    return graph.op('OneHot', [positions, depth, on, off], {}, { name }).output();
  },
};

function isPlain(input: TensorInput): input is Value {
  return typeof input !== 'object' || Array.isArray(input);
}

function filled(tensor: ReturnType<typeof toTensor>, shape: readonly number[]): ReturnType<typeof toTensor> {
  if (tensor.data.length !== 1) return makeTensor(tensor.dtype, shape, tensor.data);
  const data = allocate(tensor.dtype, sizeOf(shape));
  // One element type on both sides: `allocate` and `tensor` share the dtype.
  (data as unknown[]).fill(tensor.data[0]);
  return makeTensor(tensor.dtype, shape, data);
}

/** Above this size a constant would make the graph large, so the elements are made when the step runs. */
const MOST_ELEMENTS = 1000;

function uniform(graph: GraphBuilder, shape: ShapeInput, element: 0 | 1, dtype: DType, options: { name: string; device?: string }): Output {
  const value = dtype === 'bool' ? element === 1 : dtype === 'string' ? '' : element;
  if (Array.isArray(shape) && sizeOf(shape) < MOST_ELEMENTS) return arrayOps.constant(graph, value, { dtype, shape, ...options });
  return graph.nameScope(options.name, (scope) =>
    graph.op('Fill', [shape, graph.convert(value, { dtype })], {}, { ...options, name: `${scope}/` }).output(),
  );
}

function reversed(x: Output): Output | number[] {
  if (!x.shape) throw invalidArgument(`The rank of ${x.name} is not known; give the permutation`);
  return [...x.shape.keys()].reverse();
}
