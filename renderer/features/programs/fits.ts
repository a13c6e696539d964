import type { ClusterInfo, ProgramInfo } from '#proto/ipc/contract.ts';

/** Has the cluster all tasks that the program wants, with as many cards? */
export function fits(program: Pick<ProgramInfo, 'cluster' | 'virtualGpus'>, cluster: Pick<ClusterInfo, 'jobs'>): boolean {
  return Object.entries(program.cluster).every(([name, count]) => {
    const tasks = cluster.jobs.find((job) => job.name === name)?.tasks ?? [];
    return tasks.filter(({ index, virtualGpus }) => index < count && virtualGpus >= program.virtualGpus).length === count;
  });
}
