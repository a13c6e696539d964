import type { DType } from '#proto/wire/dtype.ts';
import type { GraphBuilder, Output } from '../graph/node.ts';
import type { Value } from '../graph/values.ts';
import { arrayOps } from './array.ts';
import { type NormalOptions, randomOps, type UniformOptions } from './random.ts';

/** Makes the initial value of a variable, in a scope of the variable's own. */
export type Initializer = (graph: GraphBuilder, shape: readonly number[], dtype: DType) => Output;

/** Initial values for variables whose shape is given: `g.variable('w', initializers.randomNormal(), { shape: [2, 3] })`. */
export const initializers = {
  zeros: (): Initializer => (graph, shape, dtype) => arrayOps.zeros(graph, shape, { dtype }),
  ones: (): Initializer => (graph, shape, dtype) => arrayOps.ones(graph, shape, { dtype }),
  /** One value for all elements, or as many as the shape has. */
  constant:
    (value: Value): Initializer =>
    (graph, shape, dtype) =>
      arrayOps.constant(graph, value, { dtype, shape }),
  randomUniform:
    (options: UniformOptions = {}): Initializer =>
    (graph, shape, dtype) =>
      randomOps.randomUniform(graph, shape, { ...options, dtype }),
  randomNormal:
    (options: NormalOptions = {}): Initializer =>
    (graph, shape, dtype) =>
      randomOps.randomNormal(graph, shape, { ...options, dtype }),
  truncatedNormal:
    (options: NormalOptions = {}): Initializer =>
    (graph, shape, dtype) =>
      randomOps.truncatedNormal(graph, shape, { ...options, dtype }),
} as const;
