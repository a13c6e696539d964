import { Code, type CodeName } from '#proto/wire/status.ts';
import type { I18n } from '../locales/i18n.svelte.ts';

const isCodeName = (name: string): name is CodeName => Object.hasOwn(Code, name);

/** What an error's code means and what to do, in the language of the window; empty for names that are no code. */
export function codeExplanation({ text }: I18n, code: string): string {
  return isCodeName(code) && code !== 'OK' ? text(`errors.${code}`) : '';
}
