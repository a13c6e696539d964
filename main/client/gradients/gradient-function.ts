import { internal } from '#proto/wire/status.ts';
import type { Node, Output } from '../graph/node.ts';
import type { Ops } from '../ops/index.ts';

/** What a gradient function works with. */
export interface GradientContext {
  /** The node to go back through. */
  readonly node: Node;
  /** Gradient of the first output. */
  readonly grad: Output;
  /** Gradients of all outputs; undefined for those that nothing depends on. */
  readonly grads: readonly (Output | undefined)[];
  /** Op functions of the node's graph. */
  readonly o: Ops;
}

/** Gradients of the node's data inputs, in order; undefined where none flows (indices, axes). */
export type GradientFunction = (context: GradientContext) => readonly (Output | undefined)[];

export type GradientTable = Readonly<Record<string, GradientFunction>>;

/** Input `index` of the node in question. */
export function input({ node }: GradientContext, index: number): Output {
  const found = node.inputs[index];
  if (!found) throw internal(`Node '${node.name}' (${node.type}) has no input ${index}`);
  return found;
}

/** A gradient that passes to the first input and to no other. */
export function toFirst(make: (context: GradientContext) => Output): GradientFunction {
  return (context) => context.node.inputs.map((_, i) => (i === 0 ? make(context) : undefined));
}
