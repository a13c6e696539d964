/** The sources of samples and of what they share, as the house's formatter leaves them: that is what makes lines tell so much. */
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';\n/gm;
const DECLARATION = /^(?:export )?(?:const|(?:async )?function|interface|type) (\w+)/m;
const LINE_WIDTH = 140;

/**
 * A sample's source as a program that stands alone: what it takes from its neighbours (`./check.ts`) is part of it, and the
 * client library is the package's. `neighbour` gives the source of a file beside it.
 */
export async function selfContained(source: string, neighbour: (file: string) => Promise<string>): Promise<string> {
  const client = new Set<string>();
  const wanted = new Set<string>();
  const blocks = new Map<string, string>();
  for (const [, type = '', names = '', from = ''] of source.matchAll(IMPORT)) {
    for (const name of split(names, type)) (isClient(from) ? client : wanted).add(name);
    if (isClient(from)) continue;
    const shared = await neighbour(from.replace('./', ''));
    for (const [, type = '', more = '', origin = ''] of shared.matchAll(IMPORT))
      if (isClient(origin)) for (const name of split(more, type)) client.add(name);
    for (const block of declarations(shared)) blocks.set(block.name, block.text);
  }
  const shared = needed([...wanted].map(bare), blocks);
  const [header, own] = splitHeader(source.replace(IMPORT, '').trimStart());
  // Constants must be there before anything runs that uses them; functions and types are at any rate.
  const isConstant = (text: string): boolean => /^const /m.test(text);
  const body = [...shared.filter(isConstant), own.trim(), ...shared.filter((text) => !isConstant(text))].join('\n\n');
  const used = [...client].filter((name) => new RegExp(`\\b${bare(name)}\\b`).test(body));
  return `${header}${importLine(used)}\n\n${body}\n`;
}

/** The same source with another name and title in its definition. */
export function renamed(source: string, { name, title }: { readonly name: string; readonly title: string }): string {
  return source
    .replace(/^( {2}name: )'(?:[^'\\]|\\.)*'/m, (_, field: string) => `${field}${quoted(name)}`)
    .replace(/^( {2}title: )'(?:[^'\\]|\\.)*'/m, (_, field: string) => `${field}${quoted(title)}`);
}

/** A text as a literal in single quotes. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function isClient(from: string): boolean {
  return from.endsWith('/client/index.ts');
}

/** `type` is what an import of nothing but types says once for all its names. */
function split(names: string, type: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => `${type}${name}`);
}

/** `type Outcome` without `type`. */
function bare(name: string): string {
  return name.replace(/^type /, '');
}

/** Top-level declarations with their comments, not exported any more. */
function declarations(source: string): readonly { readonly name: string; readonly text: string }[] {
  return source
    .replace(IMPORT, '')
    .split(/\n\n(?=\S)/)
    .flatMap((block) => {
      const name = DECLARATION.exec(block)?.[1];
      return name === undefined ? [] : [{ name, text: block.trim().replace(/^export /m, '') }];
    });
}

/** The wanted declarations, and what these use, in the order of their files. */
function needed(wanted: readonly string[], blocks: ReadonlyMap<string, string>): readonly string[] {
  const found = new Set(wanted);
  for (const name of found) {
    const text = blocks.get(name) ?? '';
    for (const other of blocks.keys()) if (new RegExp(`\\b${other}\\b`).test(text)) found.add(other);
  }
  return [...blocks].filter(([name]) => found.has(name)).map(([, text]) => text);
}

/** A comment that opens the file stays on top. */
function splitHeader(source: string): readonly [header: string, rest: string] {
  const end = source.startsWith('/**') ? source.indexOf('*/\n') + '*/\n'.length : 0;
  return [source.slice(0, end), source.slice(end)];
}

function importLine(names: readonly string[]): string {
  const sorted = [...names].sort((a, b) => bare(a).toLowerCase().localeCompare(bare(b).toLowerCase(), 'en'));
  const line = `import { ${sorted.join(', ')} } from 'lanflow/client';`;
  return line.length <= LINE_WIDTH ? line : `import {\n${sorted.map((name) => `  ${name},\n`).join('')}} from 'lanflow/client';`;
}
