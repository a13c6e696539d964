import { invalidArgument } from '#proto/wire/status.ts';
import type { Node, Output } from '../../client/index.ts';

/** How the value of a tensor can be had without changing what the program does. */
export type Reading =
  /** By a step of its own. */
  | 'alone'
  /** Along with a step of the program that makes it anyway: it needs what is fed, or making it changes something. */
  | 'along';

/** Ops that TensorFlow calls stateful though reading them changes nothing. */
const harmless: ReadonlySet<string> = new Set([
  'Variable',
  'VariableV2',
  'VarHandleOp',
  'ReadVariableOp',
  'VarIsInitializedOp',
  'IsVariableInitialized',
  'TemporaryVariable',
]);
/** Ops that take a reference only to read it. */
const readers: ReadonlySet<string> = new Set(['Identity', 'IsVariableInitialized', 'RefIdentity', 'ReadVariableOp']);
const fed: ReadonlySet<string> = new Set(['Placeholder', 'PlaceholderV2']);
/** What these pass on may be nothing. */
const mayBeDead: ReadonlySet<string> = new Set(['Switch', 'RefSwitch', '_SwitchN', 'Enter', 'RefEnter']);

/** INVALID_ARGUMENT for what may have no value in a step that makes it: asking for it would make the program's step fail. */
export function howToRead({ node }: Output, text: string): Reading {
  const needed = [...ancestors([node])];
  if (!needed.some((each) => fed.has(each.type) || changesSomething(each))) return 'alone';
  if (!needed.some(({ type }) => mayBeDead.has(type))) return 'along';
  throw invalidArgument(`'${text}' cannot be watched: it is part of a branch, and has a value in some steps only`);
}

function changesSomething({ type, def }: Node): boolean {
  if (harmless.has(type) || readers.has(type)) return false;
  return def.isStateful === true || def.inputs.some(({ isRef }) => isRef);
}

/** The nodes and all that must run before them; what is fed, and is not needed therefore, is left out. */
export function ancestors(from: Iterable<Node>, fedTensors: ReadonlySet<Output> = new Set()): ReadonlySet<Node> {
  const found = new Set<Node>(from);
  // A set is walked in the order in which it grows.
  for (const { inputs, controlInputs } of found) {
    for (const input of inputs) if (!fedTensors.has(input)) found.add(input.node);
    for (const input of controlInputs) found.add(input);
  }
  return found;
}
