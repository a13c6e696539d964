import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programTemplate } from '../../../../../main/core/programs/program-template.ts';
import { quoted, renamed, selfContained } from '../../../../../main/core/programs/self-contained.ts';
import { programs } from '../../../../../main/programs/index.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const sample = (file: string): Promise<string> => readFile(join(root, 'main/programs', file), 'utf8');
const title = `It's a "copy" \\ 副本`;

describe('the copy of a sample', () => {
  let folder: string;
  const copies = new Map<string, string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-copies-'));
    for (const { name } of programs) {
      const source = renamed(await selfContained(await sample(`${name}.ts`), sample), { name: `my-${name}`, title });
      copies.set(name, source);
      await writeFile(join(folder, `${name}.ts`), source);
    }
    await writeFile(join(folder, 'template.ts'), programTemplate({ name: 'mine', title }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(programs.map(({ name }) => name))('of %s stands alone, and has its own name and title', (name) => {
    const source = copies.get(name) ?? '';
    expect([...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from)).toEqual(['lanflow/client']);
    expect(source).toContain(`  name: 'my-${name}',\n  title: ${quoted(title)},\n`);
    expect(source).toMatch(/^\/\*\*/);
    expect(source).not.toMatch(/^export (?!default)/m);
  });

  it('has no type errors, be it of a sample or of the template', () => {
    const files = [...copies.keys(), 'template'].map((name) => join(folder, `${name}.ts`));
    const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config as { compilerOptions: object };
    const paths = { 'lanflow/client': [join(root, 'main/client/index.ts')] };
    const options = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, root).options;
    const program = ts.createProgram(files, { ...options, paths, noUnusedLocals: true });
    const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)));
    expect(problems.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)).toEqual([]);
  }, 60_000);
});
