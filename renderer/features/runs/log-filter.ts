import type { LogLine } from '#proto/ipc/contract.ts';
import { hasWords } from '../../components/words.ts';

export interface LogFilter {
  /** A client, a task or `lanflow`; empty for all. */
  readonly source: string;
  /** Words that must all be in the line, in any order; upper and lower case are alike. */
  readonly text: string;
}

/** The lines that pass the filter, in their order. */
export function filterLog(lines: readonly LogLine[], { source, text }: LogFilter): readonly LogLine[] {
  if (source === '' && text.trim() === '') return lines;
  return lines.filter((line) => (source === '' || line.source === source) && hasWords(`${line.source} ${line.text}`, text));
}

/** Who has said something, each once. */
export function sourcesOf(lines: readonly LogLine[]): readonly string[] {
  return [...new Set(lines.map(({ source }) => source))];
}
