import type { DeviceSummary } from '#proto/ipc/contract.ts';
import { formatDeviceName, parseDeviceName, taskName } from '#proto/wire/device-name.ts';

/** What a task has before anybody has seen it: a CPU, and the cards that it pretends. */
export function expectedDevices(task: string, virtualGpus: number): readonly DeviceSummary[] {
  const place = parseDeviceName(task) ?? {};
  const device = (type: string, index: number, description: string): DeviceSummary => ({
    name: formatDeviceName({ ...place, type, index }),
    type,
    description,
    isVirtual: type !== 'CPU',
  });
  return [device('CPU', 0, ''), ...Array.from({ length: virtualGpus }, (_, index) => device('GPU', index, 'virtual'))];
}

/** Names of the tasks of a cluster, given the number of each job's. */
export function wantedTasks(cluster: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(cluster).flatMap(([job, count]) => Array.from({ length: count }, (_, index) => taskName(job, index)));
}

/** The devices of tasks that were never started. */
export function wantedDevices(cluster: Readonly<Record<string, number>>, virtualGpus: number): readonly DeviceSummary[] {
  const tasks = wantedTasks(cluster);
  return (tasks.length > 0 ? tasks : [taskName('localhost', 0)]).flatMap((task) => expectedDevices(task, virtualGpus));
}
