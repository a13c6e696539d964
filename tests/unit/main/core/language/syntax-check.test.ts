import { describe, expect, it } from 'vitest';
import { loadLanguage } from '../../../../../main/core/language/load-language.ts';
import { createSyntaxCheck } from '../../../../../main/core/language/syntax-check.ts';

const language = createSyntaxCheck('no typescript');

describe('a program without TypeScript', () => {
  it('is told what is missing', async () => {
    const note = { severity: 'warning', line: 1, column: 1, endLine: 1, endColumn: 1, text: 'no typescript' };
    expect(await language.check('/p.ts', 'const a: number = 1;\n')).toEqual([note]);
  });

  it('still has problems of syntax, with columns in letters', async () => {
    const [problem] = await language.check('/p.ts', "const 名 = '参数'; const b = ;\n");
    expect(problem).toMatchObject({ severity: 'error', line: 1, column: 27, endLine: 1, text: expect.stringContaining('Unexpected') });
    expect(problem?.endColumn).toBeGreaterThan(27);
  });

  it('may be JavaScript, which has no types', async () => {
    expect(await language.check('/p.js', 'const a: number = 1;\n')).toHaveLength(2);
  });

  it('has no suggestions', () => {
    expect(language.complete('/p.ts', 'a.', 2)).toEqual({ from: 2, items: [] });
  });

  it('is what there is when the declarations are missing, and the note names them', async () => {
    const [problem, note] = await (await loadLanguage('/nowhere/declarations.json')).check('/p.ts', 'const a = ;\n');
    expect([problem?.severity, note?.text]).toEqual(['error', expect.stringContaining('/nowhere/declarations.json is missing')]);
  });
});
