import { notFound } from '#proto/wire/status.ts';
import type { SavedCluster } from '../store/index.ts';
import { placedTasks } from './placed-task.ts';

/**
 * The cluster with a task on another machine. Where its machine is not there all that stand on it go along: none of them could be
 * started, and without them the others could not either. NOT_FOUND when the cluster has no such task.
 */
export function withTaskMoved(saved: SavedCluster, name: string, to: string, isThere: (machine: string) => boolean): SavedCluster {
  const tasks = placedTasks(saved);
  const task = tasks.find((each) => each.name === name);
  if (!task) throw notFound(`Cluster '${saved.title}' has no task ${name}`);
  const from = task.draft.machine;
  const along = isThere(from) ? [task] : tasks.filter(({ draft }) => draft.machine === from);
  const moved = new Set(along.map(({ draft }) => draft));
  const jobs = saved.jobs.map((job) => ({
    ...job,
    tasks: job.tasks.map((draft) => (moved.has(draft) ? { ...draft, machine: to } : draft)),
  }));
  return { ...saved, jobs };
}
