import { invalidArgument } from '#proto/wire/status.ts';
import type { ControlFlowContext, GraphBuilder, Node, OpOptions, Output, TensorInput } from '../graph/node.ts';
import { recordMerge } from './cond-registry.ts';

/**
 * Runs one of two branches: `predicate` is a bool scalar. Nodes that a branch makes run only when it is taken; tensors from
 * outside enter through Switch nodes. Both branches must give the same number of tensors of the same dtypes.
 */
export function cond(
  graph: GraphBuilder,
  predicate: TensorInput,
  branches: { readonly onTrue: () => readonly TensorInput[]; readonly onFalse: () => readonly TensorInput[] },
  { name = 'cond' }: OpOptions = {},
): readonly Output[] {
  const outside = graph.context;
  return graph.nameScope(name, () => {
    const given = graph.convert(predicate, { dtype: 'bool', name: 'pred' });
    const pivot = graph.op('Switch', [given, given]);
    const pivotTrue = graph.op('Identity', [pivot.output(1)], {}, { name: 'switch_t' });
    const pivotFalse = graph.op('Identity', [pivot.output(0)], {}, { name: 'switch_f' });
    const taken = graph.op('Identity', [given], {}, { name: 'pred_id' }).output();
    const results = runBranch(graph, new BranchContext(graph, taken, 1, pivotTrue, outside), branches.onTrue);
    const others = runBranch(graph, new BranchContext(graph, taken, 0, pivotFalse, outside), branches.onFalse);
    return mergeBranches(graph, taken, others, results);
  });
}

function mergeBranches(graph: GraphBuilder, predicate: Output, others: readonly Output[], results: readonly Output[]): readonly Output[] {
  if (results.length !== others.length) {
    throw invalidArgument(`The branches of a cond must give the same number of tensors, but give ${results.length} and ${others.length}`);
  }
  return results.map((result, i) => {
    const other = others[i];
    if (other?.dtype !== result.dtype) {
      throw invalidArgument(`The branches of a cond give a ${result.dtype} and a ${other?.dtype} tensor as result ${i}`);
    }
    const merge = graph.op('Merge', [[other, result]]);
    recordMerge(merge, predicate);
    return merge.output();
  });
}

function runBranch(graph: GraphBuilder, context: BranchContext, body: () => readonly TensorInput[]): Output[] {
  return graph.withContext(context, () =>
    body().map((result) => {
      const tensor = graph.convert(result);
      // A tensor from outside that a branch merely passes on must be dead when the branch is not taken.
      return context.owns(tensor.node) ? tensor : graph.op('Identity', [tensor]).output();
    }),
  );
}

/** Inside one branch of a `cond`. */
class BranchContext implements ControlFlowContext {
  readonly pivot: Node;
  readonly #graph: GraphBuilder;
  readonly #predicate: Output;
  readonly #branch: 0 | 1;
  readonly #outside: ControlFlowContext | undefined;
  readonly #owned = new Set<Node>();
  readonly #entered = new Map<Output, Output>();

  constructor(graph: GraphBuilder, predicate: Output, branch: 0 | 1, pivot: Node, outside: ControlFlowContext | undefined) {
    this.#graph = graph;
    this.#predicate = predicate;
    this.#branch = branch;
    this.pivot = pivot;
    this.#outside = outside;
  }

  owns(node: Node): boolean {
    return this.#owned.has(node);
  }

  own(node: Node): void {
    this.#owned.add(node);
    this.#outside?.own(node);
  }

  enter(output: Output): Output {
    if (this.#owned.has(output.node) || output.node === this.pivot) return output;
    const known = this.#entered.get(output);
    if (known) return known;
    const type = output.isRef ? 'RefSwitch' : 'Switch';
    const make = (): Node => this.#graph.op(type, [output, this.#predicate]);
    const entered = this.#graph.withContext(this.#outside, () => this.#graph.colocateWith(output, make)).output(this.#branch);
    this.#entered.set(output, entered);
    this.own(entered.node);
    return entered;
  }
}
