import type { Problem } from '#proto/graph-document/problem.ts';
import type { I18n } from '../../locales/i18n.svelte.ts';

/** A problem in the language of the window. */
export function problemLine({ text, message }: Pick<I18n, 'text' | 'message'>, { code, values }: Problem): string {
  const { reason } = values;
  const told = typeof reason === 'string' ? { ...values, reason: message(reason) } : values;
  // A problem carries the values that the text of its code has slots for; only the compiler cannot see which.
  return text(`draw.problem.${code}`, told as never);
}
