import type { RunInfo, SourceProblem } from '#proto/ipc/contract.ts';

/** The newest run of a program, if that failed after the program was last typed in: what it says is about the text of now. */
export function failureOf(program: string, runs: readonly RunInfo[], editedAt: number): RunInfo | undefined {
  const last = runs
    .filter((run) => run.program === program)
    .reduce<RunInfo | undefined>((a, b) => (a && a.startedAt > b.startedAt ? a : b), undefined);
  return last?.state === 'failed' && last.startedAt >= editedAt ? last : undefined;
}

/** The first place in a program's source that an error's text names, as tools write it: `…/own/NAME.ts:3:14`. */
export function placeIn(program: string, text: string): { readonly line: number; readonly column: number } | undefined {
  const file = program.replace(/^.*[\\/]/, '').replace(/\.[cm]?[jt]s$/, '');
  const escaped = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`(?:^|[\\s(/\\\\])${escaped}\\.[cm]?[jt]s:(\\d+)(?::(\\d+))?`, 'm').exec(text);
  return match ? { line: Number(match[1]), column: Number(match[2] ?? 1) } : undefined;
}

/** What a run failed of, at its line; undefined when no text names one. The texts from the most to the least telling. */
export function runProblem(program: string, message: string, texts: readonly string[]): SourceProblem | undefined {
  const place = texts.map((text) => placeIn(program, text)).find((found) => found !== undefined);
  if (!place) return undefined;
  return { severity: 'error', ...place, endLine: place.line, endColumn: place.column, text: message };
}
