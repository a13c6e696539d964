import type { ClusterDraft, JobDraft, TaskDraft } from '#proto/ipc/contract.ts';

/** What one edits of a cluster: everything but its identity. Jobs and tasks are addressed by their place, as names may be wrong for a while. */
export type Draft = Pick<ClusterDraft, 'title' | 'jobs'>;

export interface TaskPlace {
  readonly job: number;
  readonly task: number;
}

/** What one may change of a task; its index follows from where it stands. */
export type TaskChange = Partial<Omit<TaskDraft, 'index'>>;

/** Each edit returns a new draft and leaves the given one alone. An edit of something that is not there changes nothing. */
export function addJob(draft: Draft, name: string, tasks: readonly TaskDraft[] = []): Draft {
  return { ...draft, jobs: [...draft.jobs, { name, tasks }] };
}

export function renameJob(draft: Draft, job: number, name: string): Draft {
  return changeJob(draft, job, (old) => ({ ...old, name }));
}

export function removeJob(draft: Draft, job: number): Draft {
  return { ...draft, jobs: draft.jobs.filter((_, place) => place !== job) };
}

/** A task on a machine with the lowest index that is free. */
export function addTask(draft: Draft, job: number, machine: string): Draft {
  return changeJob(draft, job, (old) => ({
    ...old,
    tasks: inOrder([...old.tasks, { index: freeIndex(old.tasks), machine, engine: 'bundled', port: 0, virtualGpus: 0 }]),
  }));
}

/** The lowest index that no task has. */
export function freeIndex(tasks: readonly TaskDraft[]): number {
  const taken = new Set(tasks.map(({ index }) => index));
  for (let index = 0; ; index++) if (!taken.has(index)) return index;
}

/** Later tasks move up, so that indexes without gaps stay without gaps. */
export function removeTask(draft: Draft, { job, task }: TaskPlace): Draft {
  return changeJob(draft, job, (old) => {
    const rest = old.tasks.filter((_, place) => place !== task);
    return { ...old, tasks: isDense(old.tasks) ? renumbered(rest) : rest };
  });
}

export function changeTask(draft: Draft, { job, task }: TaskPlace, change: TaskChange): Draft {
  return changeJob(draft, job, (old) => ({
    ...old,
    tasks: old.tasks.map((each, place) => (place === task ? { ...each, ...change } : each)),
  }));
}

/** Puts a task before place `to.task` of job `to.job`; both jobs are numbered anew. */
export function moveTask(draft: Draft, from: TaskPlace, to: TaskPlace): Draft {
  const moved = draft.jobs[from.job]?.tasks[from.task];
  if (!moved || !draft.jobs[to.job]) return draft;
  const jobs = draft.jobs.map((job, place) => {
    if (place !== from.job && place !== to.job) return job;
    const tasks: (TaskDraft | undefined)[] = [...job.tasks];
    if (place === from.job) tasks[from.task] = undefined;
    if (place === to.job) tasks.splice(to.task, 0, moved);
    return { ...job, tasks: renumbered(tasks.filter((task) => task !== undefined)) };
  });
  return { ...draft, jobs };
}

/** One step of the keyboard: `before` says where to put the task (for `moveTask`), `lands` where it then is. */
interface TaskStep {
  readonly before: TaskPlace;
  readonly lands: TaskPlace;
}

/** From a task one place up or down; at the end of a job on to the next one. Undefined at the ends of the cluster. */
export function neighbourPlace({ jobs }: Draft, { job, task }: TaskPlace, by: 1 | -1): TaskStep | undefined {
  const last = (jobs[job]?.tasks.length ?? 0) - 1;
  const inside = task + by;
  if (inside >= 0 && inside <= last) return { before: { job, task: by > 0 ? task + 2 : inside }, lands: { job, task: inside } };
  const next = jobs[job + by];
  if (!next) return undefined;
  const place = { job: job + by, task: by > 0 ? 0 : next.tasks.length };
  return { before: place, lands: place };
}

/** Gives the tasks of a job the indexes 0, 1, 2 … */
export function renumber(draft: Draft, job: number): Draft {
  return changeJob(draft, job, (old) => ({ ...old, tasks: renumbered(old.tasks) }));
}

/** A name that no job has yet: ps and worker first, as most clusters have them. */
export function freeJobName(draft: Draft): string {
  const taken = new Set(draft.jobs.map(({ name }) => name));
  for (const name of ['ps', 'worker']) if (!taken.has(name)) return name;
  for (let i = 1; ; i++) if (!taken.has(`job${i}`)) return `job${i}`;
}

export function isDense(tasks: readonly TaskDraft[]): boolean {
  return tasks.every(({ index }, place) => index === place);
}

function changeJob(draft: Draft, job: number, change: (job: JobDraft) => JobDraft): Draft {
  return { ...draft, jobs: draft.jobs.map((each, place) => (place === job ? change(each) : each)) };
}

function renumbered(tasks: readonly TaskDraft[]): TaskDraft[] {
  return tasks.map((task, index) => ({ ...task, index }));
}

function inOrder(tasks: readonly TaskDraft[]): TaskDraft[] {
  return [...tasks].sort((a, b) => a.index - b.index);
}

/** The jobs that a text told, with what no text tells (engine, pretended cards, restarts) kept for tasks that were there before. */
export function adoptJobs(draft: Draft, jobs: readonly JobDraft[]): Draft {
  const before = new Map(draft.jobs.flatMap(({ name, tasks }) => tasks.map((task) => [`${name} ${task.index}`, task])));
  const adopt = (name: string, task: TaskDraft): TaskDraft => {
    const { engine, virtualGpus, restart } = before.get(`${name} ${task.index}`) ?? task;
    return { ...task, engine, virtualGpus, ...(restart !== undefined && { restart }) };
  };
  return { ...draft, jobs: jobs.map(({ name, tasks }) => ({ name, tasks: tasks.map((task) => adopt(name, task)) })) };
}
