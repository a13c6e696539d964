import type { Attrs, PartialShape } from '#proto/wire/attr.ts';

/** What is known about one input before anything runs. */
export interface ShapeInput {
  /** -1 for a dimension of unknown size; undefined when the rank is unknown. */
  readonly shape: PartialShape;
  /** Elements of a small integer tensor whose value is known (an axis, a shape); undefined otherwise. */
  readonly constant?: readonly number[] | undefined;
}

export interface ShapeContext {
  /** Name of the node, for messages. */
  readonly node: string;
  /** Op defaults filled in. */
  readonly attrs: Attrs;
  readonly inputs: readonly ShapeInput[];
}

/**
 * Shapes of a node's outputs, in order. May give fewer than there are outputs: the rest is unknown. Throws INVALID_ARGUMENT
 * with the bare reason when the input shapes cannot be right.
 */
export type ShapeFunction = (context: ShapeContext) => readonly PartialShape[];

/** The same function under many names, given as words of one text. */
export function table(names: string, infer: ShapeFunction): Record<string, ShapeFunction> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, infer]));
}
