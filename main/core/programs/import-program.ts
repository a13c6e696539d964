import { readDocument } from '#proto/graph-document/read-document.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { decodeGraphDef, parseGraphDef } from '../../client/index.ts';
import type { ProgramExtension } from '../../store/program-files.ts';

export const MAX_SOURCE_BYTES = 2 ** 20;
const MAX_GRAPH_BYTES = 256 * 2 ** 20;

export interface ImportedProgram {
  /** As the file says it, for want of another one. */
  readonly title: string;
  readonly extension: ProgramExtension;
}

type Check = (content: Uint8Array, file: string) => void;

const checks: Readonly<Record<string, { readonly extension: ProgramExtension; readonly check: Check }>> = {
  ts: { extension: 'ts', check: sourceText },
  js: { extension: 'js', check: sourceText },
  mjs: { extension: 'js', check: sourceText },
  'lanflow.json': { extension: 'lanflow.json', check: (content, file) => void readDocument(sourceText(content, file)) },
  json: { extension: 'lanflow.json', check: (content, file) => void readDocument(sourceText(content, file)) },
  // Systems know a kind of file by what is behind the last dot only.
  lanflowgraph: { extension: 'lanflow.json', check: (content, file) => void readDocument(sourceText(content, file)) },
  pb: { extension: 'pb', check: (content, file) => hasNodes(decodeGraphDef(content).node, file) },
  pbtxt: { extension: 'pbtxt', check: (content, file) => hasNodes(parseGraphDef(new TextDecoder().decode(content)).node, file) },
};

/** What a file is that somebody brings. INVALID_ARGUMENT, with the reason, when it cannot be a program. */
export function importProgram(file: string, content: Uint8Array): ImportedProgram {
  const [, title = '', ending = ''] = /^(?:.*[\\/])?(.+?)\.(lanflow\.json|[^.]+)$/i.exec(file) ?? [];
  const known = checks[ending.toLowerCase()];
  if (!known) {
    throw invalidArgument(`${file} is no program: a module (.ts, .js), a graph document (.lanflow.json) or a GraphDef (.pb, .pbtxt) is`);
  }
  if (content.length > MAX_GRAPH_BYTES) throw invalidArgument(`${file} is larger than ${MAX_GRAPH_BYTES / 2 ** 20} MiB`);
  try {
    known.check(content, file);
  } catch (error) {
    const { message } = toStatusError(error);
    throw message.startsWith(file) ? error : invalidArgument(`${file} cannot be taken: ${message}`, { cause: error });
  }
  return { title, extension: known.extension };
}

function sourceText(content: Uint8Array, file: string): string {
  if (content.length > MAX_SOURCE_BYTES) throw invalidArgument(`${file} is too large to be the source of a program`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw invalidArgument(`${file} is no text in UTF-8`, { cause: error });
  }
}

/** Bytes of other kinds may look like an empty definition, or like one of nonsense. */
function hasNodes(nodes: readonly { readonly name: string; readonly op: string }[], file: string): void {
  if (nodes.length > 0 && nodes.every(({ name, op }) => name !== '' && op !== '')) return;
  throw invalidArgument(`${file} holds no nodes, so it is no GraphDef`);
}
