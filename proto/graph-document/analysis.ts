import { parseInputName } from '#proto/wire/tensor-name.ts';
import type { DocumentNode, GraphDocument, Reference, Slot } from './document.ts';
import { nodeOf, sortNodes } from './document-order.ts';
import type { TypedInput } from './op-types.ts';
import { type Problem, problem } from './problem.ts';
import { referencesIn, slotsOf } from './slots.ts';
import { sameTypes, type TensorType, unknownType } from './tensor-type.ts';
import { type NodeInputs, typeNode } from './type-node.ts';
import type { OpTyping } from './type-op.ts';

/** What is known of one node. */
export interface NodeTyping extends OpTyping {
  readonly node: DocumentNode;
  /** Of each connected tensor, slot by slot. */
  readonly inputs: NodeInputs;
}

/** What follows from a document's nodes and connections: types, shapes, and what is wrong with each node. */
export interface Analysis {
  readonly nodes: readonly DocumentNode[];
  readonly typings: ReadonlyMap<string, NodeTyping>;
  readonly loops: readonly (readonly string[])[];
}

/** Takes over whatever the change since `previous` does not touch, so that it keeps up with a hand that drags. */
export function analyze({ nodes }: Pick<GraphDocument, 'nodes'>, previous?: Analysis): Analysis {
  if (previous?.nodes === nodes) return previous;
  const { order, loops } = sortNodes(nodes);
  const typings = new Map<string, NodeTyping>();
  const typeOf = (reference: Reference): TensorType => outputOf(typings, reference) ?? unknownType;
  for (const node of order) typings.set(node.name, retype(node, typeOf, previous?.typings.get(node.name)));
  // Known only now: what a slot names may be missing, or have fewer outputs.
  return { nodes, typings, loops };
}

/** The tensor behind a reference; undefined when there is none. */
export function outputOf(typings: ReadonlyMap<string, NodeTyping>, reference: Reference): TensorType | undefined {
  const { node, output } = parseInputName(reference);
  return typings.get(node)?.outputs[output];
}

export function inputsOf(node: DocumentNode, typeOf: (reference: Reference) => TensorType): NodeInputs {
  const typed = (reference: Reference): TypedInput => ({ reference, type: typeOf(reference) });
  return node.inputs.map((slot) => referencesIn(slot).map(typed));
}

function retype(node: DocumentNode, typeOf: (reference: Reference) => TensorType, before: NodeTyping | undefined): NodeTyping {
  const inputs = inputsOf(node, typeOf);
  if (before?.node === node && sameInputs(before.inputs, inputs)) return before;
  const typing = typeNode(node, inputs);
  // The same objects where nothing changed, so that whoever depends on them need not look again.
  const outputs = before && sameTypes(before.outputs, typing.outputs) ? before.outputs : typing.outputs;
  return { ...typing, outputs, node, inputs };
}

function sameInputs(a: NodeInputs, b: NodeInputs): boolean {
  return a.every((slot, i) => slot.length === b[i]?.length && slot.every((input, k) => input.type === b[i]?.[k]?.type));
}

/** What is wrong with a node and its connections. */
export function nodeProblems({ typings }: Analysis, { node, problems }: NodeTyping): readonly Problem[] {
  const slots = slotsOf(node) ?? [];
  const connections = slots.flatMap(({ name, isOptional }, i) => slotProblems(typings, node, { name, isOptional, slot: node.inputs[i] }));
  const before = node.control.filter((name) => !typings.has(name)).map((input) => problem('unknownBefore', node.name, { input }));
  return [...connections, ...before, ...problems];
}

interface NamedSlot {
  readonly name: string;
  readonly isOptional: boolean;
  readonly slot: Slot | undefined;
}

function slotProblems(typings: Analysis['typings'], node: DocumentNode, { name, isOptional, slot }: NamedSlot): readonly Problem[] {
  const references = referencesIn(slot);
  if (references.length === 0) return isOptional ? [] : [problem('missingInput', node.name, { slot: name })];
  return references.flatMap((input) => {
    const source = typings.get(nodeOf(input));
    if (!source) return [problem('unknownNode', node.name, { input, slot: name })];
    if (outputOf(typings, input)) return [];
    if (isOpen(source)) return [];
    if (source.outputs.length === 0) return [problem('noTensor', node.name, { source: source.node.name })];
    return [problem('noOutput', node.name, { input, slot: name, source: source.node.name, outputs: source.outputs.length })];
  });
}

/** How many outputs the node has is not known before its own problems are mended. */
function isOpen({ node, problems }: NodeTyping): boolean {
  return node.kind === 'op' && problems.some(({ code }) => code === 'missingAttr' || code === 'unknownOp' || code === 'badAttr');
}
