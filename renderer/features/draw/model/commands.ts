import type { AttrJson, DocumentNode, GraphDocument, Reference, RunDefaults } from '#proto/graph-document/document.ts';
import { nodeOf } from '#proto/graph-document/document-order.ts';
import { CONTROL_SLOT, joined, type SlotPlace, withInput } from '#proto/graph-document/join.ts';
import { referencesIn, slotsOf } from '#proto/graph-document/slots.ts';
import { withNewNames } from './references.ts';

/** A change of a document. It gives back the same object when it changes nothing. */
export type Command = (document: GraphDocument) => GraphDocument;

/** The fields of a kind of node that may be set. */
export type NodePatch = Partial<Omit<UnionFields, 'kind' | 'name' | 'inputs' | 'control'>>;
type UnionFields = { [K in AllKeys<DocumentNode>]: DocumentNode extends infer N ? (N extends Record<K, infer V> ? V : never) : never };
type AllKeys<T> = T extends unknown ? keyof T : never;

function replaceNode(document: GraphDocument, name: string, change: (node: DocumentNode) => DocumentNode): GraphDocument {
  let isChanged = false;
  const nodes = document.nodes.map((node) => {
    const next = node.name === name ? change(node) : node;
    isChanged ||= next !== node;
    return next;
  });
  return isChanged ? { ...document, nodes } : document;
}

export const add =
  (...nodes: readonly DocumentNode[]): Command =>
  (document) =>
    nodes.length === 0 ? document : { ...document, nodes: [...document.nodes, ...nodes] };

/** With all connections to and from them, and wherever the settings of runs name them. */
export function remove(names: Iterable<string>): Command {
  const gone = new Set(names);
  return (document) => {
    const nodes = document.nodes.filter(({ name }) => !gone.has(name));
    if (nodes.length === document.nodes.length) return document;
    return withNewNames({ ...document, nodes }, (name) => (gone.has(name) ? null : name));
  };
}

/** A slot for one tensor gives up what it had; one that takes a list gets one more. */
export const connect =
  (from: Reference, { node: to, slot }: SlotPlace): Command =>
  (document) =>
    replaceNode(document, to, (node) => {
      if (slot === CONTROL_SLOT) return node.control.includes(nodeOf(from)) ? node : { ...node, control: [...node.control, nodeOf(from)] };
      const def = slotsOf(node)?.[slot];
      if (!def || node.inputs[slot] === from) return node;
      return withInput(node, slot, joined(node.inputs[slot], def.isList, from));
    });

/** One connection, by its position within the slot. */
export const disconnect =
  ({ node: to, slot }: SlotPlace, position = 0): Command =>
  (document) =>
    replaceNode(document, to, (node) => {
      if (slot === CONTROL_SLOT) return position in node.control ? { ...node, control: node.control.toSpliced(position, 1) } : node;
      const input = node.inputs[slot];
      if (!(position in referencesIn(input))) return node;
      return withInput(node, slot, Array.isArray(input) ? input.toSpliced(position, 1) : null);
    });

export function move(places: ReadonlyMap<string, { readonly x: number; readonly y: number }>): Command {
  return (document) => {
    const isMoved = document.nodes.some(({ name, x, y }) => {
      const place = places.get(name);
      return place && (place.x !== x || place.y !== y);
    });
    if (!isMoved) return document;
    return { ...document, nodes: document.nodes.map((node) => ({ ...node, ...places.get(node.name) })) };
  };
}

/** All that names the node follows. The new name must be free. */
export const rename =
  (from: string, to: string): Command =>
  (document) => {
    if (from === to || document.nodes.some(({ name }) => name === to) || !document.nodes.some(({ name }) => name === from)) return document;
    const renamed = document.nodes.map((node) => (node.name === from ? { ...node, name: to } : node));
    return withNewNames({ ...document, nodes: renamed }, (name) => (name === from ? to : name));
  };

/** Undefined: back to the default. */
export const setAttr =
  (name: string, attr: string, value: AttrJson | undefined): Command =>
  (document) =>
    replaceNode(document, name, (node) => {
      if (node.kind !== 'op' || JSON.stringify(node.attrs[attr]) === JSON.stringify(value)) return node;
      const { [attr]: _old, ...others } = node.attrs;
      return { ...node, attrs: value === undefined ? others : { ...others, [attr]: value } };
    });

/** Fields of one node that are its kind's own, or its device. */
export const set =
  (name: string, patch: NodePatch): Command =>
  (document) =>
    replaceNode(document, name, (node) => {
      const isSame = Object.entries(patch).every(([key, value]) => JSON.stringify(Reflect.get(node, key)) === JSON.stringify(value));
      // The inspector of a kind sets only fields that the kind has.
      return isSame ? node : ({ ...node, ...patch } as DocumentNode);
    });

export function setDevice(names: Iterable<string>, device: string): Command {
  const chosen = [...names];
  return (document) => chosen.reduce((next, name) => set(name, { device })(next), document);
}

export const setSettings =
  (settings: Partial<Pick<GraphDocument, 'title' | 'cluster' | 'virtualGpus' | 'seed'>>): Command =>
  (document) => ({ ...document, ...settings });

export const setRun =
  (run: Partial<RunDefaults>): Command =>
  (document) => ({ ...document, run: { ...document.run, ...run } });

export type Edge = 'left' | 'right' | 'top' | 'bottom';
export type Size = (node: DocumentNode) => { readonly width: number; readonly height: number };

/** Puts edges of nodes in one line: that of the outermost. */
export function align(names: Iterable<string>, edge: Edge, sizeOf: Size): Command {
  const chosen = new Set(names);
  return (document) => {
    const nodes = document.nodes.filter(({ name }) => chosen.has(name));
    if (nodes.length < 2) return document;
    const end = (node: DocumentNode) => ({ right: node.x + sizeOf(node).width, bottom: node.y + sizeOf(node).height });
    const line = {
      left: () => Math.min(...nodes.map(({ x }) => x)),
      top: () => Math.min(...nodes.map(({ y }) => y)),
      right: () => Math.max(...nodes.map((node) => end(node).right)),
      bottom: () => Math.max(...nodes.map((node) => end(node).bottom)),
    }[edge]();
    const place = (node: DocumentNode) => {
      if (edge === 'left') return { x: line, y: node.y };
      if (edge === 'top') return { x: node.x, y: line };
      return edge === 'right' ? { x: line - sizeOf(node).width, y: node.y } : { x: node.x, y: line - sizeOf(node).height };
    };
    return move(new Map(nodes.map((node) => [node.name, place(node)])))(document);
  };
}
