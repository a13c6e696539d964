import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { type GradientOptions, gradients } from './gradients/gradients.ts';
import { BaseGraph } from './graph/base-graph.ts';
import { type ImportOptions, importGraphDef } from './graph/import-graph.ts';
import type { Node, OpOptions, Output, TensorInput, TensorSource } from './graph/node.ts';
import { bindOps } from './ops/bind.ts';
import { cond } from './ops/cond.ts';
import { type Ops, ops } from './ops/index.ts';

/** What needs more than a bound function: generic results, or the whole graph. */
class GraphWithFlow extends BaseGraph {
  /**
   * Runs one of two branches, as `predicate` (a bool scalar) says when the step runs. Nodes that a branch makes run only when
   * it is taken. Both give one tensor, or lists of the same length and dtypes.
   */
  cond<R extends TensorInput | readonly TensorInput[]>(
    predicate: TensorInput,
    onTrue: () => R,
    onFalse: () => R,
    options?: OpOptions,
  ): R extends readonly TensorInput[] ? readonly Output[] : Output {
    let isList = false;
    const branch = (body: () => R) => (): readonly TensorInput[] => {
      const result = body();
      isList = Array.isArray(result);
      return isList ? (result as readonly TensorInput[]) : [result as TensorInput];
    };
    const results = cond(this, predicate, { onTrue: branch(onTrue), onFalse: branch(onFalse) }, options);
    return (isList ? results : results[0]) as R extends readonly TensorInput[] ? readonly Output[] : Output;
  }

  /** Derivatives of the sum of the ys by each x; undefined where no y depends on the x. */
  gradients(
    ys: Output | TensorSource | readonly (Output | TensorSource)[],
    xs: readonly (Output | TensorSource)[],
    options?: GradientOptions,
  ): (Output | undefined)[] {
    return gradients(Array.isArray(ys) ? (ys as readonly (Output | TensorSource)[]) : [ys as Output | TensorSource], xs, options);
  }

  /** Adds the nodes of a definition; gives them by their original name. */
  importGraphDef(def: GraphDef, options?: ImportOptions): ReadonlyMap<string, Node> {
    return importGraphDef(this, def, options);
  }
}

/**
 * A dataflow graph under construction. Op functions are methods: `g.matmul(x, w)`; ops without one are made with `g.op`.
 * Nodes are never removed; a session sends what is new before its next run.
 */
export type Graph = GraphWithFlow & Ops;

class BoundGraph extends GraphWithFlow {
  constructor() {
    super();
    Object.assign(this, bindOps(this, ops));
  }
}

// TypeScript cannot see what the constructor assigns; `Ops` is by construction the type of just that.
export const Graph = BoundGraph as unknown as new () => Graph;
