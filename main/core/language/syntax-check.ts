import { extname } from 'node:path';
import { type Message, transform } from 'esbuild';
import type { SourceProblem } from '#proto/ipc/contract.ts';
import type { Language } from './protocol.ts';

/** Finds errors of syntax only. `note` says why, as a warning on the first line. */
export function createSyntaxCheck(note: string): Language {
  const warning: SourceProblem = { severity: 'warning', line: 1, column: 1, endLine: 1, endColumn: 1, text: note };
  return {
    check: async (file, source) => [...(await syntaxErrors(file, source)), warning],
    complete: (_file, _source, offset) => ({ from: offset, items: [] }),
  };
}

async function syntaxErrors(file: string, source: string): Promise<readonly SourceProblem[]> {
  try {
    await transform(source, { loader: /js$/.test(extname(file)) ? 'js' : 'ts', logLevel: 'silent' });
    return [];
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly Message[] };
    if (!errors) throw error;
    return errors.map(problemOf);
  }
}

function problemOf({ text, location }: Message): SourceProblem {
  if (!location) return { severity: 'error', line: 1, column: 1, endLine: 1, endColumn: 1, text };
  // esbuild counts bytes.
  const bytes = Buffer.from(location.lineText);
  const column = bytes.subarray(0, location.column).toString().length + 1;
  const length = Math.max(1, bytes.subarray(location.column, location.column + location.length).toString().length);
  return { severity: 'error', line: location.line, column, endLine: location.line, endColumn: column + length, text };
}
