import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import type { Draft } from './draft.ts';

/** The tasks of a cluster, job after job. */
function tasksOf({ jobs }: Pick<ClusterInfo, 'jobs'>): TaskInfo[] {
  return jobs.flatMap(({ tasks }) => tasks);
}

/** What one may edit of a cluster: without what only a running one has. */
export function draftOf({ title, jobs }: Pick<ClusterInfo, 'title' | 'jobs'>): Draft {
  return {
    title,
    jobs: jobs.map(({ name, tasks }) => ({
      name,
      tasks: tasks.map(({ index, machine, engine, port, virtualGpus, restart }) => ({
        ...{ index, machine, engine, port, virtualGpus },
        ...(restart !== undefined && { restart }),
      })),
    })),
  };
}

/** Whether every change is kept at once. What runs is changed as a whole, when the user says so. */
export function isEditable({ state }: Pick<ClusterInfo, 'state'>): boolean {
  return state === 'stopped';
}

/** Whether it runs in peace, and can be changed as a whole. */
export function isChangeable({ state }: Pick<ClusterInfo, 'state'>): boolean {
  return state === 'running' || state === 'degraded';
}

/** How far a start has come. */
export interface StartProgress {
  readonly up: number;
  readonly all: number;
  /** Tasks that keep the cluster from being up, and say why. */
  readonly waiting: readonly TaskInfo[];
}

export function startProgress(cluster: Pick<ClusterInfo, 'jobs'>): StartProgress {
  const tasks = tasksOf(cluster);
  return {
    up: tasks.filter(({ state }) => state === 'running' || state === 'paused').length,
    all: tasks.length,
    waiting: tasks.filter(({ state, reason }) => (state === 'waiting' || state === 'lost') && reason !== ''),
  };
}

/** Whether a task is on another machine than `here`, and speaks to the lab only. */
export function hasSecuredTask(cluster: Pick<ClusterInfo, 'jobs'>, here: string): boolean {
  return tasksOf(cluster).some(({ engine, machine }) => engine === 'bundled' && machine !== here);
}

/** Tasks that serve whoever reaches their machine: genuine TensorFlow listens on all its networks, whatever its address. */
export function openTasks(cluster: Pick<ClusterInfo, 'jobs'>): readonly TaskInfo[] {
  return tasksOf(cluster).filter(({ engine, state }) => engine === 'tensorflow' && (state === 'running' || state === 'paused'));
}

/** What a stop has left: tasks that are down, and tasks that could not be reached. */
export interface StopReport {
  readonly stopped: readonly TaskInfo[];
  readonly unreached: readonly TaskInfo[];
}

export function stopReport(cluster: Pick<ClusterInfo, 'jobs'>): StopReport {
  const tasks = tasksOf(cluster);
  const isDown = ({ state, reason }: TaskInfo): boolean => state === 'stopped' && reason === '';
  return { stopped: tasks.filter(isDown), unreached: tasks.filter((task) => !isDown(task)) };
}

/** The draft without one task, named as the core names it; for starting without a task that does not come up. */
export function withoutTask(cluster: Pick<ClusterInfo, 'title' | 'jobs'>, name: string): Draft {
  const jobs = cluster.jobs.map((job) => ({ ...job, tasks: job.tasks.filter((task) => task.name !== name) }));
  return draftOf({ title: cluster.title, jobs: jobs.filter(({ tasks }) => tasks.length > 0) });
}

/** `/job:ps/replica:0/task:1` → `/job:ps/task:1`, as people write it: Lanflow has one replica only. */
export function shortTask(name: string): string {
  return name.replace('/replica:0', '');
}

/** `0`, `0.4`, `12`, `950` */
export function formatRate(perSecond: number): string {
  return perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
}

/** `ps × 1, worker × 2` */
export function jobCounts(jobs: readonly (readonly [name: string, count: number])[]): string {
  return jobs.map(([name, count]) => `${name} × ${count}`).join(', ');
}
