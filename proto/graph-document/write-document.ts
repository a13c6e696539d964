import { type DocumentNode, defaultRun, type GraphDocument } from './document.ts';
import { formatJson, isSame, type Json } from './format-json.ts';
import { type FieldTable, kindFields, placeFields } from './node-fields.ts';
import { compositeSlots } from './slots.ts';

type Entry = readonly [key: string, value: unknown];

/**
 * The document as the text of its file: fields in a fixed order, nodes in theirs, what has its default left out, one thing a line,
 * so that versions of it compare well. `readDocument` gives the same document back.
 */
export function writeDocument(document: GraphDocument): string {
  const { version, title, cluster, virtualGpus, seed, nodes, run } = document;
  const head: Entry[] = [...Object.entries({ version, title, cluster }), ...changed({ virtualGpus, seed }, { virtualGpus: 0, seed: null })];
  const whole = Object.fromEntries([...head, ['nodes', nodes.map(fileNode)], ['run', Object.fromEntries(changed(run, defaultRun))]]);
  // All values come from a document, which holds nothing but JSON.
  return `${formatJson(whole as Json)}\n`;
}

/** A node as it stands in a file. */
export function fileNode(node: DocumentNode): Readonly<Record<string, unknown>> {
  const own = standards(kindFields[node.kind]);
  const place = standards(placeFields);
  const { x, y } = node;
  return Object.fromEntries([
    ['name', node.name],
    ['kind', node.kind],
    ...changed(pick(node, own.keys), own.values),
    ...inputEntries(node),
    ...(node.control.length > 0 ? [['control', node.control] as Entry] : []),
    ...changed({ device: node.device, x: Math.round(x), y: Math.round(y) }, place.values),
  ]);
}

function inputEntries(node: DocumentNode): readonly Entry[] {
  const entries: readonly Entry[] =
    node.kind === 'op' ? [['inputs', node.inputs]] : compositeSlots[node.kind].map(({ name }, i) => [name, node.inputs[i]]);
  return entries.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0));
}

function standards(table: FieldTable): { readonly keys: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  return { keys: Object.keys(table), values: Object.fromEntries(Object.entries(table).map(([key, { standard }]) => [key, standard])) };
}

function pick(node: DocumentNode, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.map((key) => [key, Reflect.get(node, key)]));
}

function changed(values: object, standard: object): readonly Entry[] {
  return Object.entries(values).filter(([key, value]) => !isSame(value, Reflect.get(standard, key)));
}
