import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programs } from '../../../../main/programs/index.ts';
import { catalogues } from '../../../../renderer/locales/catalogues.ts';

const renderer = fileURLToPath(new URL('../../../../renderer', import.meta.url));
const { en, 'zh-CN': chinese } = catalogues;
const keys = Object.keys(en) as (keyof typeof en)[];

/** The field's own words, and names, which are the same in Chinese. */
const untranslatable = new Set([
  'English',
  'CPU',
  'CSV',
  'Chrome',
  'GPU',
  'GraphDef',
  'JSON',
  'Job',
  'Op',
  'Python',
  'RunMetadata',
  'TF_CONFIG',
  'hostfile',
  'incarnation',
  'pb',
  'pbtxt',
]);

/** Does the text hold Chinese, or nothing but what stays as it is? */
function isChinese(text: string): boolean {
  const words = text.replace(/\{[^}]*\}/g, '').match(/\w+/g) ?? [];
  return /\p{Script=Han}/u.test(text) || words.every((word) => untranslatable.has(word));
}

const slots = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name);

/** All sources of the window but the catalogues. */
function sources(): readonly string[] {
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes('generated'))
    .map((file) => readFileSync(join(renderer, file), 'utf8'));
}

/** Does a source name the key, as it is or by a template such as `runState.${state}`? */
function usedKeys(): (key: string) => boolean {
  const literals = new Set<string>();
  const templates: RegExp[] = [];
  for (const source of sources()) {
    for (const [, literal] of source.matchAll(/['"]([\w-]+\.[\w.+-]+)['"]/g)) literals.add(literal ?? '');
    for (const [, template] of source.matchAll(/`([\w-]+\.(?:[\w.+-]|\$\{[^}]*\})*)`/g)) {
      const parts = (template ?? '').split(/\$\{[^}]*\}/).map((part) => part.replace(/[.+]/g, '\\$&'));
      templates.push(new RegExp(`^${parts.join('.+')}$`));
    }
  }
  return (key) => literals.has(key) || templates.some((template) => template.test(key));
}

describe('the catalogues', () => {
  it('have the same messages in all languages', () => {
    expect(Object.keys(chinese).sort()).toEqual([...keys].sort());
  });

  it('are translated', () => {
    expect(keys.filter((key) => !isChinese(chinese[key]))).toEqual([]);
    expect(keys.filter((key) => /\p{Script=Han}/u.test(en[key]) && en[key] !== chinese[key])).toEqual([]);
  });

  it('name the same things in all languages', () => {
    expect(keys.filter((key) => slots(chinese[key]).some((slot) => !slots(en[key]).includes(slot)))).toEqual([]);
  });

  it('have no message that nothing shows', () => {
    const isUsed = usedKeys();
    expect(keys.filter((key) => !isUsed(key))).toEqual([]);
  });

  it('have a whole lesson for each sample program, and for no other', () => {
    const wanted = programs.flatMap(({ name }) => ['title', 'teaches', 'look', 'next'].map((part) => `lessons.${name}.${part}`));
    expect(keys.filter((key) => key.startsWith('lessons.')).sort()).toEqual(wanted.sort());
  });

  it('call sample programs what the programs call themselves', () => {
    const titles = catalogues.en as Readonly<Record<string, string>>;
    expect(programs.map(({ name }) => titles[`lessons.${name}.title`])).toEqual(programs.map(({ title }) => title));
  });
});
