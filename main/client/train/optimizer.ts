import { invalidArgument } from '#proto/wire/status.ts';
import { gradients } from '../gradients/gradients.ts';
import type { GraphBuilder, Node, OpOptions, Output, TensorInput } from '../graph/node.ts';
import { initializers } from '../ops/initializers.ts';
import { stateOps } from '../ops/state.ts';
import { makeVariable, type Variable } from '../ops/variable.ts';

export interface GradientAndVariable {
  /** Undefined when the loss does not depend on the variable. */
  readonly gradient: Output | undefined;
  readonly variable: Variable;
}

export interface ComputeOptions {
  /** The graph's trainable variables by default. */
  readonly variables?: readonly Variable[];
  /** Put each gradient where its node is. */
  readonly colocate?: boolean;
}

export interface ApplyOptions extends OpOptions {
  /** Counts the updates. */
  readonly globalStep?: Variable;
}

/** A hyper-parameter: a number, or a tensor that may change from step to step. */
export type Parameter = TensorInput;

/** The base of the optimizers: gradients of a loss, and the nodes that apply them to variables. */
export abstract class Optimizer {
  readonly name: string;
  /** Updates of one variable exclude each other, those of the global step included. */
  protected readonly useLocking: boolean;
  readonly #slots = new Map<string, Map<Variable, Variable>>();

  constructor(name: string, useLocking = false) {
    this.name = name;
    this.useLocking = useLocking;
  }

  /** A node that runs one step of training: it changes the variables so that the loss gets smaller. */
  minimize(loss: Output, options: ComputeOptions & ApplyOptions = {}): Node {
    const pairs = this.computeGradients(loss, options);
    if (pairs.every(({ gradient }) => gradient === undefined)) {
      const names = pairs.map(({ variable }) => variable.name).join(', ') || 'none';
      throw invalidArgument(`No gradients provided for any variable: ${loss.name} does not depend on one (variables: ${names})`);
    }
    return this.applyGradients(pairs, options);
  }

  /** The loss's derivative by each variable. */
  computeGradients(loss: Output, { variables, colocate = false }: ComputeOptions = {}): GradientAndVariable[] {
    const chosen = variables ?? stateOps.trainableVariables(loss.graph);
    const grads = gradients([loss], chosen, { colocate, gate: true });
    return chosen.map((variable, i) => ({ gradient: grads[i], variable }));
  }

  /** A node that applies gradients, possibly changed ones or averages, to their variables. Each update runs where its variable is. */
  applyGradients(pairs: readonly GradientAndVariable[], { globalStep, name }: ApplyOptions = {}): Node {
    const present = pairs.filter((pair): pair is { gradient: Output; variable: Variable } => pair.gradient !== undefined);
    const [first] = present;
    if (!first) throw invalidArgument('No gradients provided for any variable');
    const { graph } = first.variable;
    this.createSlots(
      graph,
      present.map(({ variable }) => variable),
    );
    return graph.nameScope(name ?? this.name, (scope) => {
      const apply = this.prepare(graph);
      const updates = present.map(({ variable, gradient }) =>
        graph.nameScope(`update_${variable.name}`, () => graph.colocateWith(variable, () => apply(variable, gradient))),
      );
      if (!globalStep) return this.finish(graph, updates, `${scope}/`);
      const done = this.finish(graph, updates, 'update');
      return graph.controlDependencies([done], () =>
        graph.colocateWith(globalStep, () => globalStep.assignAdd(1, { name: `${scope}/`, useLocking: this.useLocking }).node),
      );
    });
  }

  /** The variable that the optimizer keeps for another one: `momentum`, `m`, `v`. Exists after `minimize` or `applyGradients`. */
  slot(variable: Variable, name: string): Variable | undefined {
    return this.#slots.get(name)?.get(variable);
  }

  /** Makes what must outlive the step. Called before the optimizer's own scope is entered. */
  protected createSlots(_graph: GraphBuilder, _variables: readonly Variable[]): void {}

  /** Makes the hyper-parameters; the result makes the update of one variable. */
  protected abstract prepare(graph: GraphBuilder): (variable: Variable, gradient: Output) => Node;

  /** A node that runs after all updates. */
  protected finish(graph: GraphBuilder, updates: readonly Node[], name: string): Node {
    return stateOps.group(graph, updates, { name });
  }

  /** A variable of zeros beside each variable, on the same device, named after it and the optimizer. */
  protected zerosSlot(variables: readonly Variable[], name: string): void {
    const slots = this.#slots.get(name) ?? new Map<Variable, Variable>();
    this.#slots.set(name, slots);
    for (const variable of variables) {
      if (slots.has(variable)) continue;
      const { shape, dtype } = variable;
      slots.set(variable, beside(variable, `${variable.name}/${this.name}`, { initial: initializers.zeros(), shape, dtype }));
    }
  }

  /** The slot, which `createSlots` made. */
  protected requireSlot(variable: Variable, name: string): Variable {
    const slot = this.slot(variable, name);
    if (!slot) throw invalidArgument(`Optimizer '${this.name}' has no slot '${name}' for variable '${variable.name}'`);
    return slot;
  }
}

interface Companion {
  readonly initial: Parameters<typeof makeVariable>[2];
  readonly shape: readonly number[];
  readonly dtype: Variable['dtype'];
}

/** An untrained variable of the same kind on the same device, outside of all name scopes. */
export function beside(variable: Variable, name: string, { initial, shape, dtype }: Companion): Variable {
  const { graph, isResource: resource } = variable;
  const make = (): Variable => makeVariable(graph, name, initial, { shape, dtype, resource, trainable: false });
  return graph.controlDependencies(null, () => graph.nameScope('', () => graph.colocateWith(variable, make)));
}
