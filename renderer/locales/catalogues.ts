import type { Messages } from './generated/messages.ts';

export type MessageKey = keyof Messages;
export type Language = 'en' | 'zh-CN';
export type Catalogue = Readonly<Record<MessageKey, string>>;

type Files = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All areas of a language as one catalogue. That every key is there is what the test of the catalogues proves. */
function merge(files: Files): Catalogue {
  const entries = Object.entries(files).flatMap(([path, texts]) => {
    const area = path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
    return Object.entries(texts).map(([key, text]) => [`${area}.${key}`, text]);
  });
  return Object.fromEntries(entries) as Catalogue;
}

export const catalogues: Readonly<Record<Language, Catalogue>> = {
  en: merge(import.meta.glob('./en/*.json', { eager: true, import: 'default' })),
  'zh-CN': merge(import.meta.glob('./zh-CN/*.json', { eager: true, import: 'default' })),
};
