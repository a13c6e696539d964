import type { DType } from '#proto/wire/dtype.ts';
import { unimplemented } from '#proto/wire/status.ts';
import { type GraphBuilder, type Node, type Output, type TensorInput, TensorSource } from '../graph/node.ts';
import { bindOps } from '../ops/bind.ts';
import { type Ops, ops } from '../ops/index.ts';
import type { GradientFunction } from './gradient-function.ts';
import { nodesBetween } from './path.ts';
import { gradientTable, notDifferentiable } from './registry.ts';

type Differentiable = Output | TensorSource;

export interface GradientOptions {
  readonly name?: string;
  /** Gradients of the ys, from further on; ones by default. */
  readonly gradYs?: readonly TensorInput[];
  /** Tensors that count as constants. */
  readonly stopGradients?: readonly Differentiable[];
  /** Put each gradient where its node is, instead of where the device scopes say. */
  readonly colocate?: boolean;
  /** Hand on the gradients of a node's inputs only when all of them are ready. */
  readonly gate?: boolean;
}

const floating: ReadonlySet<DType> = new Set<DType>(['float', 'double', 'half', 'bfloat16', 'complex64', 'complex128']);

/**
 * Derivatives of the sum of all ys by each of the xs, as nodes of the same graph; undefined where no y depends on the x. A
 * variable as x stands for its value. Throws UNIMPLEMENTED when an op on the way has no gradient here.
 */
export function gradients(
  ys: readonly Differentiable[],
  xs: readonly Differentiable[],
  options: GradientOptions = {},
): (Output | undefined)[] {
  const [targets, sources] = [ys.map(tensorOf), xs.map(sourceOf)];
  const graph = targets[0]?.graph;
  if (!graph) return sources.map(() => undefined);
  return graph.nameScope(options.name ?? 'gradients', () => {
    const pass = new BackwardPass(graph, targets, sources, options);
    return pass.run();
  });
}

function tensorOf(y: Differentiable): Output {
  return y instanceof TensorSource ? y.value() : y;
}

function sourceOf(x: Differentiable): Output {
  return x instanceof TensorSource ? x.handle : x;
}

/** One walk from the ys back to the xs, each node once, after all of its consumers. */
class BackwardPass {
  readonly #graph: GraphBuilder;
  readonly #o: Ops;
  readonly #ys: readonly Output[];
  readonly #xs: readonly Output[];
  readonly #options: GradientOptions;
  readonly #stops: ReadonlySet<Output>;
  readonly #received = new Map<Output, Output[]>();

  constructor(graph: GraphBuilder, ys: readonly Output[], xs: readonly Output[], options: GradientOptions) {
    this.#graph = graph;
    this.#o = bindOps(graph, ops);
    this.#ys = ys;
    this.#xs = xs;
    this.#options = options;
    this.#stops = new Set((options.stopGradients ?? []).map(sourceOf));
  }

  run(): (Output | undefined)[] {
    for (const [i, y] of this.#ys.entries()) this.#receive(y, this.#initial(y, i));
    const between = nodesBetween(this.#xs, this.#ys, (output) => this.#stops.has(output) || isConstant(output));
    for (const node of between) this.#backThrough(node);
    return this.#xs.map((x) => this.#total(x));
  }

  #initial(y: Output, index: number): Output {
    const given = this.#options.gradYs?.[index];
    if (given !== undefined) return this.#graph.convert(given, { dtype: y.dtype, name: `grad_ys_${index}` });
    return this.#o.fill(this.#o.shape(y), this.#o.constant(1, { dtype: y.dtype }), { name: `grad_ys_${index}` });
  }

  #receive(output: Output, grad: Output): void {
    const list = this.#received.get(output) ?? [];
    list.push(grad);
    this.#received.set(output, list);
  }

  /** Gradients that came on several paths are added once and for all. */
  #total(output: Output): Output | undefined {
    const received = this.#received.get(output);
    if (!received || received.length <= 1) return received?.[0];
    const sum = this.#o.addN(received);
    this.#received.set(output, [sum]);
    return sum;
  }

  #backThrough(node: Node): void {
    const grads = node.outputs.map((output) => this.#total(output));
    const grad = grads.find((each) => each !== undefined);
    if (!grad) return;
    const make = gradientFunction(node);
    const compute = (): readonly (Output | undefined)[] => this.#gated(make({ node, grads, grad: grads[0] ?? grad, o: this.#o }));
    const scoped = (): readonly (Output | undefined)[] => this.#graph.nameScope(`${node.name}_grad`, compute);
    const results = this.#options.colocate ? this.#graph.colocateWith(node, scoped) : scoped();
    for (const [i, input] of node.inputs.entries()) {
      const result = results[i];
      if (result && carriesGradient(input)) this.#receive(input, withShapeOf(input, result));
    }
  }

  #gated(results: readonly (Output | undefined)[]): readonly (Output | undefined)[] {
    const present = results.filter((result) => result !== undefined);
    if (!this.#options.gate || present.length < 2) return results;
    const ready = [...this.#o.tuple(present)];
    return results.map((result) => (result ? ready.shift() : undefined));
  }
}

function gradientFunction(node: Node): GradientFunction {
  const make = Object.hasOwn(gradientTable, node.type) ? gradientTable[node.type] : undefined;
  if (!make) throw unimplemented(`No gradient defined for node '${node.name}' (op ${node.type})`);
  return make;
}

function isConstant(output: Output): boolean {
  return notDifferentiable.has(output.node.type);
}

/** Of whole numbers, texts and truth values there is no derivative; a resource handle stands for its variable. */
function carriesGradient(output: Output): boolean {
  return floating.has(output.dtype) || output.dtype === 'resource';
}

function withShapeOf(x: Output, grad: Output): Output {
  if (grad.shape === undefined && x.dtype !== 'resource') grad.setShape(x.shape);
  return grad;
}
