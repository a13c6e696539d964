import { type DocumentNode, emptyDocument, type GraphDocument } from '#proto/graph-document/document.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { writeDocument } from '#proto/graph-document/write-document.ts';
import { add, type Command } from './commands.ts';
import { uniqueName } from './names.ts';
import { withNames } from './references.ts';

/** Nodes as a text that can be pasted here, in another document or into a file: it is a graph document itself. */
export function copyText({ title, nodes }: Pick<GraphDocument, 'title' | 'nodes'>, names: ReadonlySet<string>): string {
  return writeDocument({ ...emptyDocument(title), cluster: {}, nodes: nodes.filter(({ name }) => names.has(name)) });
}

/** The nodes in a text from the clipboard. Throws INVALID_ARGUMENT for any other text. */
export function readCopy(text: string): readonly DocumentNode[] {
  return readDocument(text).nodes;
}

export interface Pasted {
  readonly command: Command;
  /** Names of the new nodes. */
  readonly names: readonly string[];
}

/** So far do copies lie from what they were copied from. */
const OFFSET = 24;

/**
 * Adds copies of nodes under names of their own. Connections among them lead to the copies; those to other nodes stay where the document
 * has a node of that name, and are dropped otherwise. With a point, their upper left corner goes there.
 */
export function paste(
  { nodes: present }: GraphDocument,
  nodes: readonly DocumentNode[],
  at?: { readonly x: number; readonly y: number },
): Pasted {
  const taken = new Set(present.map(({ name }) => name));
  const names = new Map<string, string>();
  for (const { name } of nodes) {
    const own = uniqueName(name, taken);
    taken.add(own);
    names.set(name, own);
  }
  const known = new Set(present.map(({ name }) => name));
  const left = Math.min(...nodes.map(({ x }) => x));
  const top = Math.min(...nodes.map(({ y }) => y));
  const [dx, dy] = at ? [at.x - left, at.y - top] : [OFFSET, OFFSET];
  const copies = nodes.map((node) => ({
    ...withNames(node, (name) => names.get(name) ?? (known.has(name) ? name : null)),
    name: names.get(node.name) ?? node.name,
    x: node.x + dx,
    y: node.y + dy,
  }));
  return { command: add(...copies), names: copies.map(({ name }) => name) };
}

/** Copies of some nodes beside them. */
export function duplicate(document: GraphDocument, names: ReadonlySet<string>): Pasted {
  return paste(
    document,
    document.nodes.filter(({ name }) => names.has(name)),
  );
}
