import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../../../../main/core/language/protocol.ts';
import { createTypeScript } from '../../../../../main/core/language/typescript.ts';

/** As much of the client library as the tests need. */
const clientTypes = `
export interface Context { log(text: string): void; signal: AbortSignal }
export interface Program { name: string; run?(context: Context): Promise<object>; task?(context: Context): Promise<object> }
export declare function defineProgram(program: Program): Program;
/** A dataflow graph. */
export declare class Graph {
  /** A node that holds a value. */
  constant(value: number, name?: string): Graph;
  constant(value: string): Graph;
  matmul(a: Graph, b?: Graph): Graph;
}
`;
/** Those of the language alone. */
function libraries(): Readonly<Record<string, string>> {
  const lib = dirname(ts.sys.getExecutingFilePath());
  const names = readdirSync(lib).filter((name) => /^lib\.(es(5|20)|decorators)/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(lib, name), 'utf8')]));
}

const program = (body: string) =>
  `import { defineProgram, Graph } from 'lanflow/client';\nexport default defineProgram({ name: 'p', async run(context) {\n${body}\nreturn {}; } });\n`;

describe('a program as TypeScript knows it', () => {
  let folder: string;
  let language: Language;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-language-'));
    writeFileSync(join(folder, 'neighbour.ts'), 'export const rate = 0.5;\n');
    language = createTypeScript(ts, { ...libraries(), 'client.d.ts': clientTypes });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const check = async (source: string, file = 'p.ts') =>
    (await language.check(join(folder, file), source)).map(({ line, column, text }) => `${line}:${column} ${text.split('\n')[0]}`);
  /** `|` is the cursor. */
  const complete = (source: string) => language.complete(join(folder, 'p.ts'), source.replace('|', ''), source.indexOf('|'));

  it('has no problems when it is right', async () => {
    const body = "context.log(String(process.env['HOME']) + performance.now());\nawait new Promise((done) => setTimeout(done, 5));";
    expect(await check(program(`${body}\nconsole.log(new Graph().constant(1), context.signal.aborted, structuredClone([1]));`))).toEqual(
      [],
    );
    expect(await check(`import fs from 'node:fs';\n${program('context.log(fs.readFileSync("a"));')}`)).toEqual([]);
  });

  it('has problems of syntax, of names and of types, each with its place', async () => {
    expect(await check('const a = ;\n')).toEqual(['1:11 Expression expected.']);
    const found = await language.check(join(folder, 'p.ts'), program('  new Graph().matmull(1);\n  new Graph().constant(true);'));
    expect(found.map(({ severity, line, column, endLine, endColumn }) => [severity, line, column, endLine, endColumn])).toEqual([
      ['error', 3, 15, 3, 22],
      ['error', 4, 24, 4, 28],
    ]);
    expect(found[0]?.text).toContain("'matmul'");
    expect(await check(program("const { name } = await import('nowhere');"))).toEqual([
      "3:31 Cannot find module 'nowhere' or its corresponding type declarations.",
    ]);
  });

  it('needs a default export that can be run', async () => {
    expect(await check('export const a = 1;\n')).toEqual([expect.stringMatching(/^1:1 .*defineProgram/)]);
    expect(await check('\nexport default { run: 1 && undefined, tusk: 2 }.tusk;\n')).toEqual([expect.stringMatching(/^2:1 .*no program/)]);
    expect(await check('const p = { run: async () => ({}) };\nexport { p as default };\n')).toEqual([]);
  });

  it('sees other programs as they are on disk', async () => {
    const source = `import { rate } from './neighbour.ts';\n${program('context.log(rate);')}`;
    expect(await check(source)).toEqual([expect.stringContaining("'number' is not assignable to parameter of type 'string'")]);
  });

  it('minds in JavaScript only what is not there', async () => {
    const body = 'const o = {};\no.x = 1;\nnew Graph().constant();\nnew Graph().matmull();\nwher(o);';
    expect(await check(program(body), 'p.js')).toEqual([expect.stringContaining('6:13'), "7:1 Cannot find name 'wher'."]);
  });

  it('follows a text that changes', async () => {
    expect(await check(program('nothing;'))).toHaveLength(1);
    expect(await check(program('1;'))).toEqual([]);
    expect(await check(program('nothing;'))).toHaveLength(1);
  });

  it('suggests members with signature and documentation, from where the word begins', () => {
    const { from, items } = complete(program('const graph = new Graph();\ngraph.con|'));
    expect(items[0]).toEqual({
      label: 'constant',
      kind: 'method',
      detail: '(value: number, name?: string): Graph (+1)',
      documentation: 'A node that holds a value.',
    });
    expect(from).toBe(program('const graph = new Graph();\ngraph.con|').indexOf('con|'));
  });

  it('suggests names of the program before those that only have the letters', () => {
    const { items } = complete(program('const graph = 1;\nconst paragraph = 2;\ngra|'));
    expect(items.map(({ label }) => label).slice(0, 4)).toEqual(['graph', 'Graph', 'defineProgram', 'paragraph']);
    expect(items.map(({ kind }) => kind).slice(0, 2)).toEqual(['variable', 'class']);
  });

  it('suggests modules, and what they export', () => {
    expect(complete("import { Graph } from 'lanflow/cl|';").items.map(({ label }) => label)).toContain('lanflow/client');
    expect(complete("import { Gr| } from 'lanflow/client';").items.map(({ label }) => label)).toContain('Graph');
  });

  it('suggests no more than can be read, and nothing outside the text', () => {
    expect(complete(program('|')).items.length).toBeLessThanOrEqual(200);
    expect(language.complete(join(folder, 'p.ts'), 'const a = 1;', 10_000).from).toBe(12);
  });
});
