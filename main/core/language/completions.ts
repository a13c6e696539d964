import type { CompletionEntry, LanguageService } from 'typescript';
import type { Completion, Completions } from '#proto/ipc/contract.ts';
import type { SymbolDetails, SymbolText } from './symbol-details.ts';

const MOST = 200;

const kinds: Readonly<Record<string, Completion['kind']>> = {
  function: 'function',
  'local function': 'function',
  method: 'method',
  property: 'property',
  getter: 'property',
  setter: 'property',
  accessor: 'property',
  class: 'class',
  'local class': 'class',
  interface: 'interface',
  type: 'interface',
  keyword: 'keyword',
  module: 'module',
  'external module name': 'module',
  directory: 'module',
  script: 'module',
  string: 'text',
};

/** What may be typed at an offset, best first: what begins with the word before it, then what contains it, then the rest. */
export function completionsAt(service: LanguageService, details: SymbolDetails, file: string, offset: number): Completions {
  const program = service.getProgram();
  const text = program?.getSourceFile(file);
  if (!program || !text) return { from: offset, items: [] };
  const found = service.getCompletionsAtPosition(file, offset, { includeSymbol: true, includeCompletionsForImportStatements: true });
  const entries = found?.entries ?? [];
  const replaced = entries.find(({ replacementSpan }) => replacementSpan)?.replacementSpan?.start;
  const from = Math.min(offset, replaced ?? wordStart(text.text, offset));
  const items = best(entries, text.text.slice(from, offset)).map(({ name, kind, symbol }) => ({
    label: name,
    ...describe(kind, symbol && details.of(symbol, text, program)),
  }));
  return { from, items };
}

function describe(kind: string, details: SymbolText | undefined): Omit<Completion, 'label'> {
  const known = kinds[kind] ?? 'variable';
  if (!details) return { kind: known, detail: '', documentation: '' };
  const { kind: own, ...texts } = details;
  // An imported name is what it is where it comes from.
  return { kind: kind === 'alias' ? own : known, ...texts };
}

function wordStart(source: string, offset: number): number {
  return offset - (/[\p{ID_Continue}$]*$/u.exec(source.slice(Math.max(0, offset - 200), offset))?.[0].length ?? 0);
}

function best(entries: readonly CompletionEntry[], word: string): readonly CompletionEntry[] {
  const ranked = entries
    .filter(({ insertText, name }) => insertText === undefined || insertText === name)
    .map((entry) => ({ entry, rank: rankOf(entry.name, word) }))
    .filter(({ rank }) => rank >= 0);
  ranked.sort((a, b) => a.rank - b.rank || compare(a.entry.sortText, b.entry.sortText) || compare(a.entry.name, b.entry.name));
  return ranked.slice(0, MOST).map(({ entry }) => entry);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** -1 for names that do not have the letters of the word in its order. */
function rankOf(name: string, word: string): number {
  if (name.startsWith(word)) return 0;
  const [letters, wanted] = [name.toLowerCase(), word.toLowerCase()];
  if (letters.startsWith(wanted)) return 1;
  if (letters.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = letters.indexOf(letter, at + 1);
    if (at < 0) return -1;
  }
  return 3;
}
