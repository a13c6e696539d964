import type { ClusterInfo, ProgramInfo, RunInfo } from '#proto/ipc/contract.ts';

/** Why a program cannot run on a cluster; undefined when it can. */
export type Misfit =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'tasks'; readonly job: string; readonly wanted: number; readonly present: number }
  | { readonly kind: 'cards'; readonly job: string; readonly wanted: number };

/** It must run, and have all tasks that the program wants, with as many cards. */
export function misfitOf(
  program: Pick<ProgramInfo, 'cluster' | 'virtualGpus'>,
  { state, jobs }: Pick<ClusterInfo, 'state' | 'jobs'>,
): Misfit | undefined {
  for (const [job, wanted] of Object.entries(program.cluster)) {
    const tasks = (jobs.find(({ name }) => name === job)?.tasks ?? []).filter(({ index }) => index < wanted);
    if (tasks.length < wanted) return { kind: 'tasks', job, wanted, present: tasks.length };
    if (tasks.some(({ virtualGpus }) => virtualGpus < program.virtualGpus)) return { kind: 'cards', job, wanted: program.virtualGpus };
  }
  return state === 'running' || state === 'degraded' ? undefined : { kind: 'stopped' };
}

/** The user's cluster that a run was started on, as long as there is one. */
export function clusterOf({ clusterId }: Pick<RunInfo, 'clusterId'>, clusters: readonly ClusterInfo[]): ClusterInfo | undefined {
  return clusterId === undefined ? undefined : clusters.find(({ id }) => id === clusterId);
}
