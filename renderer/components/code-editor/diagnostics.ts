import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { SourceProblem } from '#proto/ipc/contract.ts';

/** Where a line and a column are, both from 1 on; places that the text does not have (any more) are the nearest that it has. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.max(from, Math.min(from + column - 1, to));
}

/** Problems as CodeMirror underlines them; those without length at least a character. */
export function diagnosticsOf(doc: Text, problems: readonly SourceProblem[]): Diagnostic[] {
  return problems.map(({ severity, line, column, endLine, endColumn, text }) => {
    const start = offsetOf(doc, line, column);
    const end = Math.max(start, offsetOf(doc, endLine, endColumn));
    const { from, to } = doc.lineAt(start);
    if (end > start) return { from: start, to: end, severity, message: text };
    return start < to
      ? { from: start, to: start + 1, severity, message: text }
      : { from: Math.max(from, start - 1), to, severity, message: text };
  });
}
