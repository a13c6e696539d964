import { type Analysis, inputsOf, nodeProblems, outputOf } from './analysis.ts';
import type { DocumentNode, Reference, Slot } from './document.ts';
import { dependentsOf, nodeOf } from './document-order.ts';
import { isSameProblem, type Problem, problem } from './problem.ts';
import { slotsOf } from './slots.ts';
import { unknownType } from './tensor-type.ts';
import { typeNode } from './type-node.ts';

/** A slot of a node; `CONTROL_SLOT` for a connection that only says what runs first. */
export interface SlotPlace {
  readonly node: string;
  readonly slot: number;
}

export const CONTROL_SLOT = -1;

/** Why a tensor may not be connected to a slot; undefined when it may. */
export function joinProblem(analysis: Analysis, from: Reference, to: SlotPlace): Problem | undefined {
  const target = analysis.typings.get(to.node);
  const source = nodeOf(from);
  if (!target) return problem('unknownNode', to.node, { input: from, slot: '' });
  if (dependents(analysis, to.node).has(source)) return problem('wouldLoop', to.node, { input: source });
  if (to.slot === CONTROL_SLOT) return undefined;
  const slots = slotsOf(target.node);
  const slot = slots?.[to.slot];
  if (!slot) return problem('noOutput', to.node, { input: from, slot: '', source, outputs: 0 });
  const node = withInput(target.node, to.slot, joined(target.node.inputs[to.slot], slot.isList, from));
  const inputs = inputsOf(node, (reference) => outputOf(analysis.typings, reference) ?? unknownType);
  const next = { ...typeNode(node, inputs), node, inputs };
  const before = nodeProblems(analysis, target);
  return nodeProblems(analysis, next).find((found) => !isAboutGaps(found) && !before.some((known) => isSameProblem(known, found)));
}

// A memo, not state: an analysis is immutable, and many sources are tried for one target.
const dependentsIn = new WeakMap<Analysis, { readonly target: string; readonly names: ReadonlySet<string> }>();

function dependents(analysis: Analysis, target: string): ReadonlySet<string> {
  const known = dependentsIn.get(analysis);
  if (known?.target === target) return known.names;
  const names = dependentsOf(analysis.nodes, target);
  dependentsIn.set(analysis, { target, names });
  return names;
}

/** A slot with one more tensor; one that takes a single tensor gives up what it had. */
export function joined(slot: Slot | undefined, isList: boolean, from: Reference): Slot {
  return isList ? [...(Array.isArray(slot) ? slot : []), from] : from;
}

export function withInput<N extends DocumentNode>(node: N, slot: number, value: Slot): N {
  return { ...node, inputs: node.inputs.map((each, i) => (i === slot ? value : each)) };
}

/** What another connection may still mend. */
function isAboutGaps({ code }: Problem): boolean {
  return code === 'missingInput' || code === 'missingAttr' || code === 'gradientsByVariable' || code === 'lossOrGradients';
}
