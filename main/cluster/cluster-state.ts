import type { ClusterState, TaskInfo } from '#proto/ipc/contract.ts';

/** What was asked of a cluster last, and whether it is done. */
export type ClusterPhase = 'stopped' | 'starting' | 'started' | 'stopping';

/** A started cluster whose tasks come up for the first time is being started by another core. */
export function clusterState(phase: ClusterPhase, tasks: readonly Pick<TaskInfo, 'state' | 'restarts'>[]): ClusterState {
  if (phase !== 'started') return phase;
  const isForming = ({ state, restarts }: Pick<TaskInfo, 'state' | 'restarts'>): boolean =>
    (state === 'starting' || state === 'waiting') && restarts === 0;
  if (tasks.some(isForming)) return 'starting';
  return tasks.every(({ state }) => state === 'running') ? 'running' : 'degraded';
}
