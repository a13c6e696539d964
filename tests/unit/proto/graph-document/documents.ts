import type { DocumentNode, GraphDocument } from '../../../../proto/graph-document/document.ts';
import { readDocument } from '../../../../proto/graph-document/read-document.ts';

/** A document of nodes as a file holds them. */
export function documentOf(...nodes: readonly object[]): GraphDocument {
  return readDocument(JSON.stringify({ version: 1, title: 'test', cluster: { worker: 2 }, nodes }));
}

export const constant = (name: string, value: unknown, dtype = 'float') => ({ name, kind: 'constant', value, dtype });
export const op = (name: string, type: string, ...inputs: readonly unknown[]) => ({ name, kind: 'op', op: type, inputs });
export const variable = (name: string, value: unknown, dtype = 'float') => ({
  name,
  kind: 'variable',
  dtype,
  initial: { initializer: 'value', value },
});

export function nodeOf(document: GraphDocument, name: string): DocumentNode {
  const node = document.nodes.find((each) => each.name === name);
  if (!node) throw new Error(`The document has no node ${name}`);
  return node;
}
