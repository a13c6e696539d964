import { opDef } from '#proto/ops/registry.ts';
import type { DocumentNode, NodeKind, Slot } from './document.ts';

/** One input argument of a node. */
export interface SlotDef {
  readonly name: string;
  /** Takes any number of tensors. */
  readonly isList: boolean;
  /** May stay empty. */
  readonly isOptional: boolean;
}

const one = (name: string, isOptional = false): SlotDef => ({ name, isList: false, isOptional });
const many = (name: string, isOptional = false): SlotDef => ({ name, isList: true, isOptional });

/** Of the composite nodes; also the names of these fields in a file. */
export const compositeSlots: Readonly<Record<Exclude<NodeKind, 'op'>, readonly SlotDef[]>> = {
  constant: [],
  placeholder: [],
  variable: [],
  reduce: [one('input')],
  gradients: [one('of'), many('by')],
  optimizer: [one('loss', true), many('variables', true), many('gradients', true)],
};

/** The input arguments of a node; undefined for an op that nobody knows. */
export function slotsOf(node: DocumentNode): readonly SlotDef[] | undefined {
  return node.kind === 'op' ? opSlots(node.op) : compositeSlots[node.kind];
}

// A memo, not state: what follows from the op definitions.
const known = new Map<string, readonly SlotDef[]>();

/** The input arguments of an op; undefined when nobody knows it. */
export function opSlots(op: string): readonly SlotDef[] | undefined {
  const slots =
    known.get(op) ?? opDef(op)?.inputs.map(({ name, numberAttr, typeListAttr }) => ((numberAttr ?? typeListAttr) ? many(name) : one(name)));
  if (slots) known.set(op, slots);
  return slots;
}

export function emptySlots(slots: readonly SlotDef[]): readonly Slot[] {
  return slots.map(({ isList }) => (isList ? [] : null));
}

/** What is connected to a slot, in order. */
export function referencesIn(slot: Slot | undefined): readonly string[] {
  if (slot === null || slot === undefined) return [];
  return typeof slot === 'string' ? [slot] : slot;
}
