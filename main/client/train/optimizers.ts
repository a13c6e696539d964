import { internal } from '#proto/wire/status.ts';
import type { GraphBuilder, Node, Output } from '../graph/node.ts';
import { initializers } from '../ops/initializers.ts';
import { stateOps } from '../ops/state.ts';
import type { Variable } from '../ops/variable.ts';
import { beside, Optimizer, type Parameter } from './optimizer.ts';

export interface OptimizerOptions {
  /** Name of the nodes that the optimizer makes, and part of the names of its slots. */
  readonly name?: string;
  /** Updates of one variable exclude each other; else they may interleave, as in TensorFlow. */
  readonly useLocking?: boolean;
}

/** `variable −= learningRate · gradient` */
export class GradientDescentOptimizer extends Optimizer {
  readonly #learningRate: Parameter;

  constructor(learningRate: Parameter, { name = 'GradientDescent', useLocking }: OptimizerOptions = {}) {
    super(name, useLocking);
    this.#learningRate = learningRate;
  }

  protected prepare(graph: GraphBuilder): (variable: Variable, gradient: Output) => Node {
    const rate = graph.convert(this.#learningRate, { name: 'learning_rate' });
    return (variable, gradient) =>
      applyNode(variable, 'ApplyGradientDescent', [as(variable, rate), gradient], { use_locking: this.useLocking });
  }
}

export interface MomentumOptions extends OptimizerOptions {
  /** Look ahead by one step of the momentum. */
  readonly useNesterov?: boolean;
}

/** `accumulation = momentum · accumulation + gradient; variable −= learningRate · accumulation` */
export class MomentumOptimizer extends Optimizer {
  readonly #learningRate: Parameter;
  readonly #momentum: Parameter;
  readonly #useNesterov: boolean;

  constructor(learningRate: Parameter, momentum: Parameter, options: MomentumOptions = {}) {
    super(options.name ?? 'Momentum', options.useLocking);
    this.#learningRate = learningRate;
    this.#momentum = momentum;
    this.#useNesterov = options.useNesterov ?? false;
  }

  protected override createSlots(_graph: GraphBuilder, variables: readonly Variable[]): void {
    this.zerosSlot(variables, 'momentum');
  }

  protected prepare(graph: GraphBuilder): (variable: Variable, gradient: Output) => Node {
    const rate = graph.convert(this.#learningRate, { name: 'learning_rate' });
    const momentum = graph.convert(this.#momentum, { name: 'momentum' });
    return (variable, gradient) => {
      const inputs = [this.requireSlot(variable, 'momentum').handle, as(variable, rate), gradient, as(variable, momentum)];
      return applyNode(variable, 'ApplyMomentum', inputs, { use_nesterov: this.#useNesterov, use_locking: this.useLocking });
    };
  }
}

export interface AdamOptions extends OptimizerOptions {
  readonly learningRate?: Parameter;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** The betas to the power of the number of steps so far. */
interface BetaPowers {
  readonly beta1: Variable;
  readonly beta2: Variable;
}

/** Adam: steps scaled by running means of the gradient and of its square. */
export class AdamOptimizer extends Optimizer {
  readonly #options: Required<Omit<AdamOptions, 'name' | 'useLocking'>>;
  readonly #powers = new Map<GraphBuilder, BetaPowers>();

  constructor({ name = 'Adam', useLocking, ...options }: AdamOptions = {}) {
    super(name, useLocking);
    this.#options = { learningRate: 0.001, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, ...options };
  }

  protected override createSlots(graph: GraphBuilder, variables: readonly Variable[]): void {
    const [first] = [...variables].sort((a, b) => (a.name < b.name ? -1 : 1));
    const power = (name: string, value: number, near: Variable): Variable =>
      beside(near, name, { initial: initializers.constant(value), shape: [], dtype: 'float' });
    if (first && !this.#powers.has(graph)) {
      const { beta1, beta2 } = this.#options;
      this.#powers.set(graph, { beta1: power('beta1_power', beta1, first), beta2: power('beta2_power', beta2, first) });
    }
    this.zerosSlot(variables, 'm');
    this.zerosSlot(variables, 'v');
  }

  protected prepare(graph: GraphBuilder): (variable: Variable, gradient: Output) => Node {
    const { learningRate, beta1, beta2, epsilon } = this.#options;
    const rates = [
      graph.convert(learningRate, { name: 'learning_rate' }),
      graph.convert(beta1, { name: 'beta1' }),
      graph.convert(beta2, { name: 'beta2' }),
      graph.convert(epsilon, { name: 'epsilon' }),
    ];
    return (variable, gradient) => {
      const slots = [this.requireSlot(variable, 'm').handle, this.requireSlot(variable, 'v').handle];
      const powers = [this.#power(graph, 'beta1').value(), this.#power(graph, 'beta2').value()];
      const scalars = [...powers, ...rates].map((scalar) => as(variable, scalar));
      return applyNode(variable, 'ApplyAdam', [...slots, ...scalars, gradient], { use_locking: this.useLocking });
    };
  }

  protected override finish(graph: GraphBuilder, updates: readonly Node[], name: string): Node {
    const raise = (power: Variable, beta: number): Node =>
      graph.colocateWith(power, () => power.assign(graph.op('Mul', [power, beta], {}, { name: 'mul' }).output()).node);
    const raised = graph.controlDependencies(updates, () => [
      raise(this.#power(graph, 'beta1'), this.#options.beta1),
      raise(this.#power(graph, 'beta2'), this.#options.beta2),
    ]);
    return stateOps.group(graph, [...updates, ...raised], { name });
  }

  #power(graph: GraphBuilder, which: keyof BetaPowers): Variable {
    const powers = this.#powers.get(graph);
    if (!powers) throw internal('createSlots runs before prepare and finish');
    return powers[which];
  }
}

/** The update op in the form of the variable: `ApplyAdam` or `ResourceApplyAdam`. */
function applyNode(variable: Variable, type: string, inputs: readonly Output[], attrs: Record<string, boolean>): Node {
  return variable.graph.op(variable.isResource ? `Resource${type}` : type, [variable.handle, ...inputs], attrs);
}

/** A hyper-parameter in the variable's dtype. */
function as(variable: Variable, parameter: Output): Output {
  if (parameter.dtype === variable.dtype) return parameter;
  return variable.graph.op('Cast', [parameter], { DstT: variable.dtype }).output();
}
