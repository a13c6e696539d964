import { isCompatible, isFullyKnown } from '#proto/ops/shape-algebra.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { type GraphBuilder, type Node, type OpOptions, type Output, type TensorInput, TensorSource } from '../graph/node.ts';
import type { Initializer } from './initializers.ts';

export interface VariableOptions {
  /** Element type; that of the initial value by default, float for plain numbers. */
  readonly dtype?: DType;
  /** Needed with an initializer; else that of the initial value. */
  readonly shape?: readonly number[];
  /** False keeps it from the optimizers. */
  readonly trainable?: boolean;
  /** A resource variable (VarHandleOp) instead of TensorFlow 1.x's reference variable (VariableV2). */
  readonly resource?: boolean;
  /** Lists of the graph to enter; `['variables']` by default. `local_variables` are not in `globalVariablesInitializer`. */
  readonly collections?: readonly string[];
}

/** Names of the graph's lists, as TensorFlow spells them. */
export const GLOBAL_VARIABLES = 'variables';
export const LOCAL_VARIABLES = 'local_variables';
export const TRAINABLE_VARIABLES = 'trainable_variables';

interface VariableParts {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly trainable: boolean;
  readonly handle: Output;
  readonly initializer: Node;
  readonly initialValue: Output;
  readonly snapshot: Output;
}

export interface UpdateOptions extends OpOptions {
  /**
   * Updates of the variable exclude each other. Without it two that run at once may count as one, as in TensorFlow; those of a
   * resource variable always exclude each other.
   */
  readonly useLocking?: boolean;
}

/**
 * Memory that lives on a device from one step to the next, longer than the session, shared by name. It has no value until
 * `initializer` has run once. Used as an input, it stands for its value.
 */
export class Variable extends TensorSource {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly trainable: boolean;
  readonly handle: Output;
  /** Sets the initial value. */
  readonly initializer: Node;
  readonly initialValue: Output;
  readonly #snapshot: Output;

  constructor(parts: VariableParts) {
    super();
    this.dtype = parts.dtype;
    this.shape = parts.shape;
    this.trainable = parts.trainable;
    this.handle = parts.handle;
    this.initializer = parts.initializer;
    this.initialValue = parts.initialValue;
    this.#snapshot = parts.snapshot;
  }

  /** Name of the variable's node, under which servers share it. */
  get name(): string {
    return this.handle.node.name;
  }

  get graph(): GraphBuilder {
    return this.handle.graph;
  }

  get isResource(): boolean {
    return !this.handle.isRef;
  }

  /** Where the variable is meant to live. */
  get device(): string {
    return this.handle.node.device;
  }

  /** The tensor that a fetch of the variable reads. */
  get snapshot(): Output {
    return this.#snapshot;
  }

  value(): Output {
    return this.isResource ? readResource(this) : this.#snapshot;
  }

  /** Sets the value and gives it. */
  assign(value: TensorInput, options?: OpOptions): Output {
    return this.#update('Assign', 'AssignVariableOp', value, options);
  }

  /** Adds to the value and gives the sum. */
  assignAdd(delta: TensorInput, options?: UpdateOptions): Output {
    return this.#update('AssignAdd', 'AssignAddVariableOp', delta, options);
  }

  /** Subtracts from the value and gives the difference. */
  assignSub(delta: TensorInput, options?: UpdateOptions): Output {
    return this.#update('AssignSub', 'AssignSubVariableOp', delta, options);
  }

  /** Bool scalar: has the variable a value? Never fails. */
  isInitialized(options?: OpOptions): Output {
    const type = this.isResource ? 'VarIsInitializedOp' : 'IsVariableInitialized';
    return this.graph.op(type, [this.handle], {}, options).output();
  }

  #update(refType: string, resourceType: string, value: TensorInput, { useLocking, ...options }: UpdateOptions = {}): Output {
    const { graph } = this;
    const attrs = useLocking === undefined ? {} : { use_locking: useLocking };
    if (!this.isResource) return graph.op(refType, [this.handle, value], attrs, options).output();
    const update = graph.op(resourceType, [this.handle, graph.convert(value, { dtype: this.dtype })], {}, options);
    return graph.controlDependencies([update], () => readResource(this));
  }
}

function readResource({ graph, handle, dtype, shape }: Pick<Variable, 'graph' | 'handle' | 'dtype' | 'shape'>): Output {
  const read = graph.op('ReadVariableOp', [handle], { dtype }).output();
  read.setShape(shape);
  return read;
}

/**
 * Makes a variable with the nodes and names that TensorFlow gives it. Throws INVALID_ARGUMENT when the shape is not known in
 * full or does not fit the initial value.
 */
export function makeVariable(
  graph: GraphBuilder,
  name: string,
  initial: TensorInput | Initializer,
  options: VariableOptions = {},
): Variable {
  const { collections = [GLOBAL_VARIABLES], trainable = true, resource = false } = options;
  // A variable belongs to no branch: what a `cond` reads must exist outside of it.
  const variable = graph.withContext(undefined, () =>
    graph.nameScope(name, (scope) => {
      const initialValue = initialTensor(graph, scope, initial, options);
      const shape = options.shape ?? initialValue.shape;
      if (!isFullyKnown(shape)) throw invalidArgument(`Variable '${scope}' needs a shape: that of its initial value is not known in full`);
      if (!isCompatible(shape, initialValue.shape)) {
        throw invalidArgument(`Variable '${scope}' has shape [${shape}], but its initial value has shape [${initialValue.shape}]`);
      }
      const parts = { scope, shape, initialValue, trainable };
      return resource ? resourceVariable(graph, parts) : refVariable(graph, parts);
    }),
  );
  const lists = trainable ? [...collections, TRAINABLE_VARIABLES] : collections;
  for (const list of lists) graph.collection<Variable>(list).push(variable);
  return variable;
}

function initialTensor(graph: GraphBuilder, scope: string, initial: TensorInput | Initializer, { dtype, shape }: VariableOptions): Output {
  if (typeof initial !== 'function') return graph.convert(initial, { name: 'initial_value', ...(dtype && { dtype }) });
  if (!shape) throw invalidArgument(`Variable '${scope}' needs a shape, for its initializer to fill`);
  return graph.nameScope('Initializer', () => initial(graph, shape, dtype ?? 'float'));
}

interface Draft {
  /** Full name of the variable. */
  readonly scope: string;
  readonly shape: readonly number[];
  readonly initialValue: Output;
  readonly trainable: boolean;
}

function refVariable(graph: GraphBuilder, { scope, ...draft }: Draft): Variable {
  const { dtype } = draft.initialValue;
  const handle = graph.op('VariableV2', [], { dtype, shape: draft.shape }, { name: `${scope}/` }).output();
  const initializer = graph.op('Assign', [handle, draft.initialValue]);
  const snapshot = graph.colocateWith(handle, () => graph.op('Identity', [handle], {}, { name: 'read' }).output());
  return new Variable({ ...draft, dtype, handle, initializer, snapshot });
}

function resourceVariable(graph: GraphBuilder, { scope, ...draft }: Draft): Variable {
  const { dtype } = draft.initialValue;
  const attrs = { dtype, shape: draft.shape, shared_name: scope };
  const handle = graph.op('VarHandleOp', [], attrs, { name: `${scope}/` }).output();
  graph.nameScope('IsInitialized', () => graph.op('VarIsInitializedOp', [handle]));
  const { device } = handle.node;
  const initializer = graph.op('AssignVariableOp', [handle, draft.initialValue], {}, { name: 'Assign', device });
  const read = (): Output => graph.device(device, () => readResource({ graph, handle, dtype, shape: draft.shape }));
  const snapshot = graph.nameScope('Read', read);
  return new Variable({ ...draft, dtype, handle, initializer, snapshot });
}
