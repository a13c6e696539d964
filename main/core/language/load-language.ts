import { readFile } from 'node:fs/promises';
import type { Language } from './protocol.ts';
import { createSyntaxCheck } from './syntax-check.ts';
import { createTypeScript } from './typescript.ts';

/** TypeScript with everything that a program may use, loaded and warm; without the package, what can be known without it. */
export async function loadLanguage(declarationsFile: string): Promise<Language> {
  try {
    const declarations = JSON.parse(await readFile(declarationsFile, 'utf8')) as Readonly<Record<string, string>>;
    const { default: ts } = await import('typescript');
    return createTypeScript(ts, declarations);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ENOENT') throw error;
    const missing = code === 'ENOENT' ? declarationsFile : 'the package typescript';
    return createSyntaxCheck(`Only the syntax is checked, and nothing is suggested: ${missing} is missing`);
  }
}
