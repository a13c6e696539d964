import { readFileSync } from 'node:fs';
import { pseudoMessage } from '../../renderer/locales/message.ts';

/** `en-XA` is the pseudo-locale: each text in accents, in brackets and a third longer. */
export type WindowLanguage = 'en' | 'zh-CN' | 'en-XA';

/** What the window says in a language, by the area and the key of a catalogue; for texts without slots. */
export type Words = (area: string, key: string) => string;

export function wordsOf(language: WindowLanguage): Words {
  const isPseudo = language === 'en-XA';
  return (area, key) => {
    const path = new URL(`../../renderer/locales/${isPseudo ? 'en' : language}/${area}.json`, import.meta.url);
    const text = (JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, string>>)[key];
    if (text === undefined) throw new Error(`No text ${area}.${key} in ${language}`);
    return isPseudo ? pseudoMessage(text) : text;
  };
}
