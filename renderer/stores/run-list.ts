import type { RunInfo } from '#proto/ipc/contract.ts';

/** The runs with this one in its place: where its older self was, or by its start. */
export function putRun(runs: readonly RunInfo[], run: RunInfo): readonly RunInfo[] {
  const rest = runs.filter(({ id }) => id !== run.id);
  const at = rest.findIndex(({ startedAt }) => startedAt < run.startedAt);
  return at < 0 ? [...rest, run] : [...rest.slice(0, at), run, ...rest.slice(at)];
}
