/**
 * Compares the sentences of the sources with their translations in renderer/locales/sentences: says which are missing, which are of no
 * more use, and which have other holes than the English ones; the exit code is 1 then. With `--missing` it prints those that are
 * missing as JSON, to be filled in and added to the table; with `--write` it takes out what is of no use and sorts the table; with
 * `--of FILE` it prints the sentences of one source.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findSentences } from './sentences/find-sentences.mjs';

const name = 'renderer/locales/sentences/zh-CN.json';
const path = fileURLToPath(new URL(`../${name}`, import.meta.url));

const table = JSON.parse(readFileSync(path, 'utf8'));
const [mode, file] = process.argv.slice(2);

if (mode === '--of') console.log(asJson([...findSentences([file]).sentences]));
else compare();

function compare() {
  const { sentences, phrases } = findSentences();
  const missing = [...sentences].filter((template) => !Object.hasOwn(table, template)).sort();
  const unused = Object.keys(table).filter((template) => !sentences.has(template) && !phrases.has(template));
  const torn = Object.keys(table).filter((template) => holesOf(template) !== holesOf(table[template]));

  if (mode === '--missing') {
    console.log(asJson(Object.fromEntries(missing.map((template) => [template, '']))));
  } else if (mode === '--write') {
    const kept = Object.entries(table).filter(([template]) => !unused.includes(template));
    writeFileSync(path, `${asJson(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))))}\n`);
  } else {
    report(missing, 'these sentences have no translation; add them, each with the same holes');
    report(unused, 'no source says these sentences any more; `node scripts/sentences.mjs --write` takes them out');
    report(torn, 'these translations have not the holes of their sentence');
  }
}

function holesOf(template) {
  return (template.match(/\{\d+\}/g) ?? []).sort().join(' ');
}

function report(templates, what) {
  if (templates.length === 0) return;
  const entries = templates.map((template) => `  ${JSON.stringify(template)}: ${JSON.stringify(table[template] ?? '')}`);
  console.error(`${name}: ${what}:\n${entries.join(',\n')}`);
  process.exitCode = 1;
}

function asJson(value) {
  return JSON.stringify(value, undefined, 2);
}
