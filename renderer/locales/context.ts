import { getContext, setContext } from 'svelte';
import type { I18n, Text } from './i18n.svelte.ts';

const key = Symbol('i18n');

export function setI18n(i18n: I18n): void {
  setContext(key, i18n);
}

/** Texts, numbers and times for the components below the app's frame. */
export function useI18n(): I18n {
  const i18n = getContext<I18n | undefined>(key);
  if (!i18n) throw new Error('This component is used outside the app, which hands out the language');
  return i18n;
}

/** What the core says, in the language of the window. */
export function useMessage(): I18n['message'] {
  return useI18n().message;
}

/** Most components need no more than texts. */
export function useText(): Text {
  return useI18n().text;
}
