import type { ClusterInfo, MachineInfo, TaskInfo } from '#proto/ipc/contract.ts';

/** Running tasks of all clusters that stand on a machine: what a new one shares it with. */
export function tasksOn({ id }: Pick<MachineInfo, 'id'>, clusters: readonly ClusterInfo[]): TaskInfo[] {
  const tasks = clusters.flatMap(({ jobs }) => jobs).flatMap((job) => job.tasks);
  return tasks.filter(({ machine, state }) => machine === id && state !== 'stopped' && state !== 'lost');
}
