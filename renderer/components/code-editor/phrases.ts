import type { MessageKey } from '../../locales/catalogues.ts';
import type { Text } from '../../locales/i18n.svelte.ts';

/** CodeMirror's own words, and ours for them. */
const keys = {
  Find: 'code.find',
  Replace: 'code.replaceWith',
  next: 'code.next',
  previous: 'code.previous',
  all: 'code.all',
  'match case': 'code.matchCase',
  regexp: 'code.regexp',
  'by word': 'code.byWord',
  replace: 'code.replace',
  'replace all': 'code.replaceAll',
  close: 'app.close',
  'current match': 'code.currentMatch',
  'on line': 'code.onLine',
  'replaced $ matches': 'code.replacedMatches',
  'replaced match on line $': 'code.replacedOnLine',
  'Go to line': 'code.goToLine',
  go: 'code.go',
  Completions: 'code.completions',
  Diagnostics: 'code.problems',
  'No diagnostics': 'code.noProblems',
  'Selection deleted': 'code.selectionDeleted',
  'Control character': 'code.controlCharacter',
} as const satisfies Readonly<Record<string, MessageKey>>;

export function editorPhrases(text: Text): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(keys).map(([words, key]) => [words, text(key)]));
}
