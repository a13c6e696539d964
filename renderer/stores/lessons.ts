import type { RunInfo } from '#proto/ipc/contract.ts';
import { catalogues, type MessageKey } from '../locales/catalogues.ts';
import type { I18n } from '../locales/i18n.svelte.ts';

/** A short lesson about a sample program, in the language of the window. */
export interface Lesson {
  readonly teaches: string;
  readonly look: string;
  readonly next: string;
}

const isKey = (key: string): key is MessageKey => Object.hasOwn(catalogues.en, key);

function lessonText({ text }: I18n, key: string): string {
  return isKey(key) ? (text as (key: MessageKey) => string)(key) : '';
}

/** Samples have titles in each language; other programs keep their own. */
export function programTitle(i18n: I18n, program: string, ownTitle: string): string {
  return lessonText(i18n, `lessons.${program}.title`) || ownTitle;
}

/** A run that nobody has named has its program's title, in the language of the window. */
export function runTitle(i18n: I18n, { title, program, programTitle: own }: Pick<RunInfo, 'title' | 'program' | 'programTitle'>): string {
  return title === own ? programTitle(i18n, program, own) : title;
}

/** Undefined for a program that is no sample. */
export function lessonOf(i18n: I18n, program: string): Lesson | undefined {
  const part = (name: keyof Lesson) => lessonText(i18n, `lessons.${program}.${name}`);
  return part('teaches') === '' ? undefined : { teaches: part('teaches'), look: part('look'), next: part('next') };
}
