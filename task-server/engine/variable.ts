import type { DType } from '#proto/wire/dtype.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Resource } from './resource-manager.ts';

/**
 * A variable of a device, in reference (VariableV2) or resource (VarHandleOp) form. Its value is an immutable tensor that
 * updates replace, so every read is a snapshot. Updates are serialised: with or without `use_locking` none is lost.
 */
export class Variable implements Resource {
  readonly dtype: DType;
  #value: Tensor | undefined;
  #tail: Promise<unknown> | undefined;

  constructor(dtype: DType) {
    this.dtype = dtype;
  }

  /** Undefined until the first assignment. */
  get value(): Tensor | undefined {
    return this.#value;
  }

  set value(tensor: Tensor | undefined) {
    this.#value = tensor;
  }

  /**
   * Replaces the value by what `next` makes of it. At once when no update is under way and `next` answers at once;
   * else after those that came before. A failed update leaves the value as it was.
   */
  update(next: (current: Tensor | undefined) => Tensor | Promise<Tensor>): Tensor | Promise<Tensor> {
    return exclusively([this], () => {
      const result = next(this.#value);
      if (!(result instanceof Promise)) return this.#store(result);
      return result.then((tensor) => this.#store(tensor));
    });
  }

  /** Frees the memory although a kernel may still hold the variable. */
  dispose(): void {
    this.#value = undefined;
  }

  #store(tensor: Tensor): Tensor {
    this.#value = tensor;
    return tensor;
  }

  /** The last update in the queue of this variable; only `exclusively` touches it. */
  static tailOf(variable: Variable): Promise<unknown> | undefined {
    return variable.#tail;
  }

  static setTail(variable: Variable, tail: Promise<unknown> | undefined): void {
    variable.#tail = tail;
  }
}

/**
 * Runs an update that reads and writes several variables (Adam: var, m and v) when none of them is being updated, and
 * keeps other updates out until it ends. Synchronous when nobody is in the way and the work is.
 */
export function exclusively<T>(variables: readonly Variable[], work: () => T | Promise<T>): T | Promise<T> {
  const busy = variables.map(Variable.tailOf).filter((tail) => tail !== undefined);
  if (busy.length === 0) {
    const result = work();
    if (!(result instanceof Promise)) return result;
    return enqueue(variables, result);
  }
  return enqueue(variables, Promise.all(busy).then(work));
}

function enqueue<T>(variables: readonly Variable[], result: Promise<T>): Promise<T> {
  const tail = result.then(
    () => undefined,
    () => undefined,
  );
  for (const variable of variables) Variable.setTail(variable, tail);
  void tail.then(() => {
    for (const variable of variables) if (Variable.tailOf(variable) === tail) Variable.setTail(variable, undefined);
  });
  return result;
}

/** The value of a ref-typed edge: consumers that want a tensor get the variable's value at the moment they start. */
export class VariableRef {
  readonly variable: Variable;
  /** Name that messages use: the node or the shared name. */
  readonly name: string;

  constructor(variable: Variable, name: string) {
    this.variable = variable;
    this.name = name;
  }
}
