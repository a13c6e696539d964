import { parseInputName } from '#proto/wire/tensor-name.ts';
import type { DocumentNode, Reference } from './document.ts';
import { referencesIn } from './slots.ts';

export interface NodeOrder {
  /** Every node after those that it needs; otherwise in the order of the document. */
  readonly order: readonly DocumentNode[];
  /** Names of nodes that need each other in a circle, one list for each circle found. They are in `order` all the same. */
  readonly loops: readonly (readonly string[])[];
}

export function nodeOf(reference: Reference): string {
  return parseInputName(reference).node;
}

// A memo, not state: nodes are immutable.
const needs = new WeakMap<DocumentNode, readonly string[]>();

/** Names of the nodes that a node needs, those that only run before it included. */
export function neededBy(node: DocumentNode): readonly string[] {
  const known = needs.get(node) ?? [...node.inputs.flatMap(referencesIn).map(nodeOf), ...node.control];
  needs.set(node, known);
  return known;
}

/** `needsOf` may name more than the connections say: an optimizer needs all variables. Iterative, since chains are as long as documents. */
export function sortNodes(nodes: readonly DocumentNode[], needsOf: (node: DocumentNode) => readonly string[] = neededBy): NodeOrder {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const state = new Map<DocumentNode, 'open' | 'done'>();
  const order: DocumentNode[] = [];
  const loops: string[][] = [];
  for (const root of nodes) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    const path: { readonly node: DocumentNode; readonly rest: string[] }[] = [{ node: root, rest: [...needsOf(root)] }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const name = top.rest.shift();
      if (name === undefined) {
        state.set(top.node, 'done');
        order.push(top.node);
        path.pop();
        continue;
      }
      const next = byName.get(name);
      if (!next) continue;
      const seen = state.get(next);
      if (seen === 'open') loops.push(path.slice(path.findIndex(({ node }) => node === next)).map(({ node }) => node.name));
      if (seen) continue;
      state.set(next, 'open');
      path.push({ node: next, rest: [...needsOf(next)] });
    }
  }
  return { order, loops };
}

/** Names of the node and of all that need it, near or far, along connections and control edges. */
export function dependentsOf(nodes: readonly DocumentNode[], name: string): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const node of nodes) {
    for (const needed of neededBy(node)) {
      const list = users.get(needed);
      if (list) list.push(node.name);
      else users.set(needed, [node.name]);
    }
  }
  const found = new Set([name]);
  // A set is walked in the order in which it grows.
  for (const each of found) for (const user of users.get(each) ?? []) found.add(user);
  return found;
}
