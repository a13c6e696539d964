import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import {
  DOCUMENT_VERSION,
  type DocumentNode,
  defaultRun,
  type GraphDocument,
  type NodeKind,
  type RunDefaults,
  type Slot,
} from './document.ts';
import { kindFields, placeFields } from './node-fields.ts';
import {
  bad,
  type Fields,
  fields,
  filledText,
  integer,
  list,
  nullOr,
  object,
  oneOf,
  optional,
  type Read,
  record,
  required,
  tensorValue,
  text,
} from './read-fields.ts';
import { compositeSlots, emptySlots, opSlots, type SlotDef } from './slots.ts';

const MAX_TASKS = 1000;
const MAX_GPUS = 64;
const MAX_NODES = 20_000;
const HOUR = 3_600_000;

const kinds = oneOf(Object.keys(kindFields) as NodeKind[]);
const names = list(filledText);
const reference = filledText;
const slot: Read<Slot> = (value, where) => (Array.isArray(value) ? names(value, where) : nullOr(reference)(value, where));

const runFields: Fields<RunDefaults> = {
  fetches: optional(names, defaultRun.fetches),
  targets: optional(names, defaultRun.targets),
  feeds: optional(record(tensorValue), defaultRun.feeds),
  watch: optional(names, defaultRun.watch),
  steps: optional(integer(0), defaultRun.steps),
  interval: optional(integer(0, HOUR), defaultRun.interval),
  traceEvery: optional(integer(0), defaultRun.traceEvery),
};

const documentFields: Fields<GraphDocument> = {
  version: required((value, where) => version(value, where)),
  title: required(text),
  cluster: optional((value, where) => cluster(value, where), {}),
  virtualGpus: optional(integer(0, MAX_GPUS), 0),
  seed: optional(nullOr(integer(0)), null),
  nodes: optional((value, where) => nodes(value, where), []),
  run: optional(fields(runFields), defaultRun),
};

/**
 * The document in a file's text. Throws INVALID_ARGUMENT that names the place when it is none: no JSON, a field that is missing,
 * wrong or unknown, two nodes of one name. Whether its graph makes sense is another question: see `findProblems`.
 */
export function readDocument(source: string): GraphDocument {
  const value = parse(source);
  // A newer file may differ in anything, so its version is looked at first.
  documentFields.version.read(object(value, 'The document')['version'], 'version');
  return fields(documentFields)(value, 'The document');
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw invalidArgument(`The document is not JSON: ${toStatusError(error).message}`, { cause: error });
  }
}

function version(value: unknown, where: string): typeof DOCUMENT_VERSION {
  if (value === DOCUMENT_VERSION) return DOCUMENT_VERSION;
  if (typeof value === 'number' && value > DOCUMENT_VERSION) {
    throw bad(
      where,
      `the document has version ${value}, made by a newer Lanflow; this one reads version ${DOCUMENT_VERSION}, so update Lanflow`,
    );
  }
  throw bad(where, `a graph document says "version": ${DOCUMENT_VERSION}; this is none`);
}

function cluster(value: unknown, where: string): GraphDocument['cluster'] {
  const jobs = record(integer(1, MAX_TASKS))(value, where);
  for (const job of Object.keys(jobs)) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(job)) {
      throw bad(where, `'${job}' is no name for a job; it starts with a letter and has letters, digits and _ only`);
    }
  }
  return jobs;
}

function nodes(value: unknown, where: string): readonly DocumentNode[] {
  const all = list(node)(value, where);
  if (all.length > MAX_NODES) throw bad(where, `${all.length} nodes are more than the ${MAX_NODES} that a document may have`);
  const places = new Map<string, number>();
  for (const [i, { name }] of all.entries()) {
    const other = places.get(name);
    if (other !== undefined) throw bad(`${where}[${i}].name`, `'${name}' is the name of ${where}[${other}] too; rename one of them`);
    places.set(name, i);
  }
  return all;
}

function node(value: unknown, where: string): DocumentNode {
  const given = object(value, where);
  const kind = kinds(given['kind'], `${where}.kind`);
  const place = typeof given['name'] === 'string' ? `${where} '${given['name']}'` : where;
  const common = { name: required(filledText), kind: required(kinds), control: optional(names, []), ...placeFields };
  if (kind === 'op') {
    const read = fields<Record<string, unknown>>({ ...common, ...kindFields.op, inputs: optional(list(slot), []) })(value, place);
    return asNode({ ...read, inputs: fitted(opSlots(String(read['op'])), read['inputs'] as readonly Slot[], place) });
  }
  const slots = compositeSlots[kind];
  const inputs = Object.fromEntries(
    slots.map(({ name, isList }) => [name, isList ? optional(names, []) : optional(nullOr(reference), null)]),
  );
  const read = fields<Record<string, unknown>>({ ...common, ...kindFields[kind], ...inputs })(value, place);
  const rest = Object.entries(read).filter(([key]) => !Object.hasOwn(inputs, key));
  return asNode({ ...Object.fromEntries(rest), inputs: slots.map(({ name }) => read[name]) });
}

/** The fields have been read one by one, by the table of the node's kind. */
function asNode(read: Readonly<Record<string, unknown>>): DocumentNode {
  return read as unknown as DocumentNode;
}

/** One slot for each argument of the op; those at the end may be left out. Of an unknown op, as they are. */
function fitted(slots: readonly SlotDef[] | undefined, inputs: readonly Slot[], where: string): readonly Slot[] {
  if (!slots) return inputs;
  if (inputs.length > slots.length) throw bad(`${where}.inputs`, `the op has ${slots.length} inputs, but ${inputs.length} are given`);
  for (const [i, input] of inputs.entries()) {
    const { name, isList } = slots[i] ?? { name: '', isList: false };
    if (Array.isArray(input) === isList) continue;
    throw bad(`${where}.inputs[${i}]`, isList ? `'${name}' takes a list of tensors` : `'${name}' takes one tensor, or null for none yet`);
  }
  return [...inputs, ...emptySlots(slots).slice(inputs.length)];
}
