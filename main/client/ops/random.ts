import type { DType } from '#proto/wire/dtype.ts';
import type { GraphBuilder, OpOptions, Output, TensorInput } from '../graph/node.ts';
import { arrayOps, type ShapeInput } from './array.ts';

export interface RandomOptions extends OpOptions {
  /** float by default. */
  readonly dtype?: DType;
  /** Without it, and without a seed of the graph, every session draws other numbers. */
  readonly seed?: number;
}

export interface UniformOptions extends RandomOptions {
  /** Least value; 0 by default. */
  readonly min?: number;
  /** Never reached; 1 by default, and to be given for integers. */
  readonly max?: number;
}

export interface NormalOptions extends RandomOptions {
  readonly mean?: number;
  /** Standard deviation; 1 by default. */
  readonly stddev?: number;
}

/** Random tensors. With the same seeds they hold the same numbers as TensorFlow's. */
export const randomOps = {
  /** Seed of the graph: every random op made from now on gets a seed derived from it. */
  setRandomSeed(graph: GraphBuilder, seed: number | undefined): void {
    graph.seed = seed;
  },

  /** Numbers evenly distributed over [min, max). */
  randomUniform(graph: GraphBuilder, shape: ShapeInput, options: UniformOptions = {}): Output {
    const { min = 0, max = 1, dtype = 'float', seed, name = 'random_uniform' } = options;
    return graph.nameScope(name, (scope) => {
      const size = shapeTensor(graph, shape);
      if (dtype === 'int32' || dtype === 'int64') return uniformInteger(graph, size, scope, { min, max, dtype, seed });
      if (min === 0 && max === 1) return graph.op('RandomUniform', [size], { dtype, ...graph.seeds(seed) }).output();
      const low = graph.convert(min, { dtype, name: 'min' });
      const high = graph.convert(max, { dtype, name: 'max' });
      const unit = graph.op('RandomUniform', [size], { dtype, ...graph.seeds(seed) }).output();
      const width = graph.op('Sub', [high, low], {}, { name: 'sub' }).output();
      const scaled = graph.op('Mul', [unit, width], {}, { name: 'mul' }).output();
      return graph.op('AddV2', [scaled, low], {}, { name: `${scope}/` }).output();
    });
  },

  /** Numbers of a normal distribution. */
  randomNormal(graph: GraphBuilder, shape: ShapeInput, options: NormalOptions = {}): Output {
    return normal(graph, 'RandomStandardNormal', shape, { name: 'random_normal', ...options });
  },

  /** Numbers of a normal distribution; those beyond two standard deviations are drawn again. */
  truncatedNormal(graph: GraphBuilder, shape: ShapeInput, options: NormalOptions = {}): Output {
    return normal(graph, 'TruncatedNormal', shape, { name: 'truncated_normal', ...options });
  },

  /** The slices along the first dimension in random order. */
  randomShuffle(graph: GraphBuilder, x: TensorInput, { seed, ...options }: OpOptions & { seed?: number } = {}): Output {
    return graph.op('RandomShuffle', [x], graph.seeds(seed), options).output();
  },
};

function shapeTensor(graph: GraphBuilder, shape: ShapeInput): Output {
  return Array.isArray(shape) ? arrayOps.constant(graph, new Int32Array(shape), { name: 'shape' }) : (shape as Output);
}

interface IntegerRange {
  readonly min: number;
  readonly max: number;
  readonly dtype: DType;
  readonly seed: number | undefined;
}

function uniformInteger(graph: GraphBuilder, shape: Output, scope: string, { min, max, dtype, seed }: IntegerRange): Output {
  const low = graph.convert(min, { dtype, name: 'min' });
  const high = graph.convert(max, { dtype, name: 'max' });
  return graph.op('RandomUniformInt', [shape, low, high], graph.seeds(seed), { name: `${scope}/` }).output();
}

function normal(graph: GraphBuilder, type: string, shape: ShapeInput, options: NormalOptions & { name: string }): Output {
  const { mean = 0, stddev = 1, dtype = 'float', seed, name } = options;
  return graph.nameScope(name, (scope) => {
    const size = shapeTensor(graph, shape);
    const center = graph.convert(mean, { dtype, name: 'mean' });
    const deviation = graph.convert(stddev, { dtype, name: 'stddev' });
    const unit = graph.op(type, [size], { dtype, ...graph.seeds(seed) }).output();
    const scaled = graph.op('Mul', [unit, deviation], {}, { name: 'mul' }).output();
    return graph.op('AddV2', [scaled, center], {}, { name: `${scope}/` }).output();
  });
}
