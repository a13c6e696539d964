import type { DType } from '#proto/wire/dtype.ts';
import type { GraphBuilder, OpOptions, Output, TensorInput } from '../graph/node.ts';

/** An axis or several; negative ones count from the last dimension. */
export type Axes = number | readonly number[];

export interface ReduceOptions extends OpOptions {
  /** Keep the reduced dimensions with size 1. */
  readonly keepDims?: boolean;
}

type Reduce = (graph: GraphBuilder, x: TensorInput, axes?: Axes | Output, options?: ReduceOptions) => Output;

function reduction(type: string): Reduce {
  return (graph, x, axes, { keepDims = false, ...options } = {}) => {
    const input = graph.convert(x, { name: 'input_tensor' });
    return graph.op(type, [input, axes ?? allAxes(graph, input)], { keep_dims: keepDims }, options).output();
  };
}

/** The axes of a tensor of known rank as a Const, else counted when the step runs. */
function allAxes(graph: GraphBuilder, x: Output): Output {
  if (x.shape) return graph.convert(new Int32Array(x.shape.keys()));
  return graph.op('Range', [0, graph.op('Rank', [x]).output(), 1], {}, { name: 'range' }).output();
}

export interface MatMulOptions extends OpOptions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

/** Reductions, products of matrices and what goes with them. Without `axes` a reduction goes over all dimensions. */
export const mathOps = {
  /** Sum of the elements along the axes. */
  reduceSum: reduction('Sum'),
  /** Mean of the elements along the axes. Integers are rounded towards zero. */
  reduceMean: reduction('Mean'),
  /** Product of the elements along the axes. */
  reduceProd: reduction('Prod'),
  /** Greatest element along the axes. */
  reduceMax: reduction('Max'),
  /** Least element along the axes. */
  reduceMin: reduction('Min'),
  /** Are all elements true? Bool. */
  reduceAll: reduction('All'),
  /** Is any element true? Bool. */
  reduceAny: reduction('Any'),

  /**
   * Product of two matrices; with more dimensions, of each pair of matrices in the last two.
   * @throws StatusError INVALID_ARGUMENT when the inner dimensions differ.
   */
  matmul(graph: GraphBuilder, a: TensorInput, b: TensorInput, { transposeA, transposeB, ...options }: MatMulOptions = {}): Output {
    const [left, right] = sameType(graph, a, b);
    const isBatch = (left.shape?.length ?? 2) > 2 || (right.shape?.length ?? 2) > 2;
    const [transposed, flags] = [transposeA ?? false, transposeB ?? false];
    if (isBatch)
      return graph.op('BatchMatMulV2', [left, right], { adj_x: transposed, adj_y: flags }, { name: 'MatMul', ...options }).output();
    return graph.op('MatMul', [left, right], { transpose_a: transposed, transpose_b: flags }, options).output();
  },

  /** Sum of any number of tensors of one shape. */
  addN(graph: GraphBuilder, inputs: readonly TensorInput[], options?: OpOptions): Output {
    return graph.op('AddN', [inputs], {}, options).output();
  },

  /** Converts to another dtype; floats are truncated towards zero when they become integers. No node when the dtype is right. */
  cast(graph: GraphBuilder, x: TensorInput, dtype: DType, options?: OpOptions): Output {
    const input = graph.convert(x);
    return input.dtype === dtype ? input : graph.op('Cast', [input], { DstT: dtype }, options).output();
  },

  /** Index of the greatest element along an axis, the first one on a tie; int64. */
  argMax(graph: GraphBuilder, x: TensorInput, axis = 0, options?: OpOptions): Output {
    return graph.op('ArgMax', [x, axis], {}, options).output();
  },

  /** Index of the least element along an axis, the first one on a tie; int64. */
  argMin(graph: GraphBuilder, x: TensorInput, axis = 0, options?: OpOptions): Output {
    return graph.op('ArgMin', [x, axis], {}, options).output();
  },

  /** start, start + delta, … below `limit`. Integers unless an operand is a tensor of another type. */
  range(graph: GraphBuilder, start: TensorInput, limit: TensorInput, delta: TensorInput = 1, options?: OpOptions): Output {
    return graph.op('Range', [start, limit, delta], {}, { name: 'range', ...options }).output();
  },

  /** Each element kept between two bounds. */
  clipByValue(graph: GraphBuilder, x: TensorInput, min: TensorInput, max: TensorInput, options?: OpOptions): Output {
    return graph.nameScope(options?.name ?? 'clip_by_value', () =>
      graph.op('Maximum', [graph.op('Minimum', [x, max]).output(), min]).output(),
    );
  },

  /** Running sum along an axis. */
  cumsum(graph: GraphBuilder, x: TensorInput, axis = 0, options?: OpOptions): Output {
    return graph.op('Cumsum', [x, axis], {}, options).output();
  },
};

/** Both as tensors; a plain value takes the dtype of the other. */
function sameType(graph: GraphBuilder, a: TensorInput, b: TensorInput): [Output, Output] {
  if (isNode(a) || !isNode(b)) {
    const left = graph.convert(a, { name: 'a' });
    return [left, graph.convert(b, { name: 'b', dtype: left.dtype })];
  }
  const right = graph.convert(b, { name: 'b' });
  return [graph.convert(a, { name: 'a', dtype: right.dtype }), right];
}

function isNode(input: TensorInput): input is Output {
  return typeof input === 'object' && ('node' in input || 'handle' in input);
}
