import type { ClusterInfo, MachineInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { engineOn } from '../../stores/machine-engines.ts';

/** The tasks that go along when one is moved: all of its machine when that is not there, as the core does it. */
export function movedWith({ jobs }: Pick<ClusterInfo, 'jobs'>, task: TaskInfo, online: readonly MachineInfo[]): readonly TaskInfo[] {
  if (online.some(({ id }) => id === task.machine)) return [task];
  return jobs.flatMap(({ tasks }) => tasks).filter(({ machine }) => machine === task.machine);
}

/** Where tasks of one machine may go, as far as their engines are there: the machine with the least to do first. */
export function placesFor(moved: readonly Pick<TaskInfo, 'machine' | 'engine'>[], online: readonly MachineInfo[]): readonly MachineInfo[] {
  const fits = (machine: MachineInfo): boolean =>
    moved.every((task) => task.machine !== machine.id && (engineOn(machine, task.engine)?.problem ?? '') === '');
  return online.filter(fits).sort((a, b) => busyness(a) - busyness(b));
}

/** Tasks count although they may be idle now. */
function busyness({ load, tasks, cores }: MachineInfo): number {
  return load + tasks / Math.max(1, cores);
}
