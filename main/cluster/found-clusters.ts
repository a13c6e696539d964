import type { JobDraft, TaskDraft } from '#proto/ipc/contract.ts';
import type { KnownTask } from '../machines/known-tasks.ts';
import type { SavedCluster } from '../store/index.ts';
import type { ClusterMachine } from './task-control.ts';

/**
 * Clusters that run on these machines without being known here: other users of the lab have formed them. Of each those tasks that can be
 * seen from here.
 */
export function foundClusters(
  machines: readonly Pick<ClusterMachine, 'id' | 'tasks'>[],
  isKnown: (cluster: string) => boolean,
): readonly SavedCluster[] {
  const found = new Map<string, { title: string; jobs: Map<string, TaskDraft[]> }>();
  for (const { id: machine, tasks } of machines) {
    for (const task of tasks.values()) {
      const { cluster, clusterTitle, job } = task.setup;
      if (isKnown(cluster)) continue;
      const { jobs } = found.get(cluster) ?? put(found, cluster, { title: clusterTitle || cluster, jobs: new Map() });
      (jobs.get(job) ?? put(jobs, job, [])).push(draftOf(task, machine));
    }
  }
  return [...found].map(([id, { title, jobs }]) => ({ id, title, jobs: [...jobs].sort(byKey).map(toJob) }));
}

function draftOf({ setup, status }: KnownTask, machine: string): TaskDraft {
  return {
    index: setup.index,
    machine,
    engine: setup.engine === 'tensorflow' ? 'tensorflow' : 'bundled',
    port: Number(/\d+$/.exec(status.address)?.[0] ?? 0),
    virtualGpus: setup.virtualGpus,
    restart: setup.restart,
  };
}

function toJob([name, tasks]: readonly [string, readonly TaskDraft[]]): JobDraft {
  return { name, tasks: [...tasks].sort((a, b) => a.index - b.index) };
}

function put<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
