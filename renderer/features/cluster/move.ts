import type { ClusterInfo, MachineInfo, TaskInfo } from '#proto/ipc/contract.ts';

/** The tasks that go along when one is moved: all of its machine when that is not there, as the core does it. */
export function movedWith({ jobs }: Pick<ClusterInfo, 'jobs'>, task: TaskInfo, online: readonly MachineInfo[]): readonly TaskInfo[] {
  if (online.some(({ id }) => id === task.machine)) return [task];
  return jobs.flatMap(({ tasks }) => tasks).filter(({ machine }) => machine === task.machine);
}

/** Where a task may go, the machine with the least to do first. */
export function placesFor(task: Pick<TaskInfo, 'machine'>, online: readonly MachineInfo[]): readonly MachineInfo[] {
  return online.filter(({ id }) => id !== task.machine).sort((a, b) => busyness(a) - busyness(b));
}

/** Tasks count although they may be idle now. */
function busyness({ load, tasks, cores }: MachineInfo): number {
  return load + tasks / Math.max(1, cores);
}
