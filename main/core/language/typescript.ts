import { completionsAt } from './completions.ts';
import { problemsOf } from './problems.ts';
import { ProgramFiles } from './program-files.ts';
import type { Language } from './protocol.ts';
import { SymbolDetails } from './symbol-details.ts';
import type { TypeScript } from './typescript-types.ts';

/** A program that uses what most do, so that the first real one finds everything loaded. */
const WARM_UP =
  "import { defineProgram } from 'lanflow/client';\nexport default defineProgram({ name: 'a', title: 'a', cluster: {}, run: async () => ({}) });\n";

/** The language as TypeScript knows it. `declarations`: texts by name, of its libraries and of `client.d.ts`. */
export function createTypeScript(ts: TypeScript, declarations: Readonly<Record<string, string>>): Language {
  const files = new ProgramFiles(ts, declarations);
  const service = ts.createLanguageService(files.host, ts.createDocumentRegistry());
  const details = new SymbolDetails(ts);
  const language: Language = {
    check: (file, source) => problemsOf(ts, service, files.show(file, source)),
    complete: (file, source, offset) => completionsAt(service, details, files.show(file, source), Math.min(offset, source.length)),
  };
  language.check('/warm-up.ts', WARM_UP);
  language.complete('/warm-up.ts', WARM_UP, WARM_UP.lastIndexOf('name'));
  return language;
}
