import type { ClusterInfo } from '#proto/ipc/contract.ts';

/** Knows when each task of one cluster was started, and so sees which have been started again. */
export class TaskStarts {
  /** By task; those that do not run now keep their last one. */
  readonly #latest = new Map<string, number>();

  constructor(cluster: Pick<ClusterInfo, 'jobs'>) {
    this.note(cluster);
  }

  /** Names of the tasks that have been started again since the last call. One that comes up for the first time is none of them. */
  note({ jobs }: Pick<ClusterInfo, 'jobs'>): readonly string[] {
    const again: string[] = [];
    for (const { name, startedAt } of jobs.flatMap(({ tasks }) => tasks)) {
      if (startedAt === 0) continue;
      const known = this.#latest.get(name);
      if (known !== undefined && known !== startedAt) again.push(name);
      this.#latest.set(name, startedAt);
    }
    return again;
  }
}
