import { javascript } from '@codemirror/lang-javascript';
import type { Extension } from '@codemirror/state';

export type EditorLanguage = 'typescript' | 'javascript' | 'text';

/** JSON is coloured as the JavaScript that it is. */
export function languageExtension(language: EditorLanguage): Extension {
  return language === 'text' ? [] : javascript({ typescript: language === 'typescript' });
}
