import type { SourceFile, Symbol as SymbolOfText, TypeChecker } from 'typescript';
import type { SourceProblem } from '#proto/ipc/contract.ts';
import type { TypeScript } from './typescript-types.ts';

/** What is wrong with a module's default export: it must be a program, or nothing can be run. */
export function exportProblem(ts: TypeScript, checker: TypeChecker, source: SourceFile): readonly SourceProblem[] {
  const module = checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find(({ escapedName }) => escapedName === 'default');
  if (!exported)
    return [at(source, 0, 'The program needs a default export: export default defineProgram({ name, title, cluster, run or task })')];
  const type = checker.getTypeOfSymbol(isAlias(ts, exported) ? checker.getAliasedSymbol(exported) : exported);
  // Of `any` nothing is known.
  if (type.flags & ts.TypeFlags.Any || type.getProperty('run') || type.getProperty('task')) return [];
  const place = exported.declarations?.[0]?.getStart(source) ?? 0;
  return [at(source, place, 'The default export is no program: make it with defineProgram({ name, title, cluster, run or task })')];
}

function isAlias(ts: TypeScript, { flags }: SymbolOfText): boolean {
  return (flags & ts.SymbolFlags.Alias) !== 0;
}

/** From the place to the end of its line. */
function at(source: SourceFile, place: number, text: string): SourceProblem {
  const { line, character } = source.getLineAndCharacterOfPosition(place);
  const end = source.text.slice(place).split(/\r?\n/, 1)[0]?.length ?? 0;
  return { severity: 'error', line: line + 1, column: character + 1, endLine: line + 1, endColumn: character + 1 + end, text };
}
