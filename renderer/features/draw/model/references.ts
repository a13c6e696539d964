import type { DocumentNode, GraphDocument, RunDefaults, Slot } from '#proto/graph-document/document.ts';
import { nodeOf } from '#proto/graph-document/document-order.ts';

/** The new name of a reference's node; null when it is gone. */
type NewName = (name: string) => string | null;

/** A reference to another name of its node, its output kept. */
function moved(reference: string, newName: NewName): string | null {
  const node = nodeOf(reference);
  const next = newName(node);
  return next === null ? null : next + reference.slice(node.length);
}

function movedAll(references: readonly string[], newName: NewName): readonly string[] {
  const next = references.map((reference) => moved(reference, newName)).filter((each) => each !== null);
  return next.length === references.length && next.every((each, i) => each === references[i]) ? references : next;
}

function movedSlot(slot: Slot, newName: NewName): Slot {
  if (slot === null) return null;
  return typeof slot === 'string' ? moved(slot, newName) : movedAll(slot, newName);
}

/** A node whose inputs follow new names; itself when none of them changes. */
export function withNames<N extends DocumentNode>(node: N, newName: NewName): N {
  const inputs = node.inputs.map((slot) => movedSlot(slot, newName));
  const control = movedAll(node.control, newName);
  if (control === node.control && inputs.every((slot, i) => slot === node.inputs[i])) return node;
  return { ...node, inputs, control };
}

/** Everything in a document that names nodes follows new names; nodes that are gone are named nowhere any more. */
export function withNewNames(document: GraphDocument, newName: NewName): GraphDocument {
  return { ...document, nodes: document.nodes.map((node) => withNames(node, newName)), run: runWithNames(document.run, newName) };
}

/** Also `w[0]`, `w:0`, and what is made for a node: `w/read`. */
function runWithNames(run: RunDefaults, newName: NewName): RunDefaults {
  const name: NewName = (text) => {
    const [, own = text, rest = ''] = /^([^[]*?)(\[.*)?$/.exec(text) ?? [];
    const node = nodeOf(own);
    const whole = newName(node);
    if (whole !== node) return whole === null ? null : whole + own.slice(node.length) + rest;
    const scope = node
      .split('/')
      .slice(0, -1)
      .map((_, i, parts) => parts.slice(0, i + 1).join('/'))
      .findLast((each) => newName(each) !== each);
    if (scope === undefined) return text;
    const next = newName(scope);
    return next === null ? null : next + text.slice(scope.length);
  };
  const list = (names: readonly string[]): readonly string[] => {
    const next = names.map(name).filter((each) => each !== null);
    return next.every((each, i) => each === names[i]) && next.length === names.length ? names : next;
  };
  const feeds = Object.entries(run.feeds).flatMap(([key, value]) => {
    const next = name(key);
    return next === null ? [] : [[next, value] as const];
  });
  return { ...run, fetches: list(run.fetches), targets: list(run.targets), watch: list(run.watch), feeds: Object.fromEntries(feeds) };
}
