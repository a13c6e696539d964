import type { Diagnostic, LanguageService, SourceFile } from 'typescript';
import type { SourceProblem } from '#proto/ipc/contract.ts';
import { exportProblem } from './export-problem.ts';
import type { TypeScript } from './typescript-types.ts';

/** More would be read by nobody. */
const MOST = 200;

/**
 * What TypeScript minds in JavaScript that is surely wrong, by its codes: names, members and modules that are not there. All else is
 * JavaScript's own business.
 */
const unresolved = new Set([2304, 2305, 2307, 2339, 2551, 2552, 2724]);

/** All problems of a program, in the order of its text. */
export function problemsOf(ts: TypeScript, service: LanguageService, file: string): readonly SourceProblem[] {
  const program = service.getProgram();
  const source = program?.getSourceFile(file);
  if (!program || !source) return [];
  const isJavaScript = /\.[cm]?js$/.test(file);
  const syntactic = service.getSyntacticDiagnostics(file);
  const semantic = service.getSemanticDiagnostics(file).filter(({ code }) => !isJavaScript || unresolved.has(code));
  const found = [...syntactic, ...semantic].map((diagnostic) => problemOf(ts, source, diagnostic));
  // Half a text has no exports yet.
  if (syntactic.length === 0) found.push(...exportProblem(ts, program.getTypeChecker(), source));
  return found.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MOST);
}

function problemOf(ts: TypeScript, source: SourceFile, { category, start = 0, length = 0, messageText }: Diagnostic): SourceProblem {
  const from = source.getLineAndCharacterOfPosition(start);
  const to = source.getLineAndCharacterOfPosition(start + length);
  return {
    severity: category === ts.DiagnosticCategory.Error ? 'error' : 'warning',
    line: from.line + 1,
    column: from.character + 1,
    endLine: to.line + 1,
    endColumn: to.character + 1,
    text: ts.flattenDiagnosticMessageText(messageText, '\n'),
  };
}
