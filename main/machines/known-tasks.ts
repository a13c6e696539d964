import type { LogLine, Task } from '#proto/generated/lanflow/agent_pb.ts';

/** A task as its agent has told of it last. */
export interface KnownTask extends Pick<Task, 'id'> {
  readonly setup: NonNullable<Task['setup']>;
  readonly status: NonNullable<Task['status']>;
  /** When that was, by the monotonic clock. */
  readonly toldAt: number;
}

/** The tasks of one machine, put together from what its agent tells and answers in any order. */
export class KnownTasks {
  readonly #tasks = new Map<string, KnownTask>();
  readonly #nextLine = new Map<string, number>();

  get byId(): ReadonlyMap<string, KnownTask> {
    return this.#tasks;
  }

  /** Of each task the number of the line that comes next. */
  get nextLines(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#nextLine);
  }

  /** The agent tells all that it has. Tasks that another agent had before go on with their numbers of lines. */
  reset(tasks: readonly Task[]): void {
    this.#tasks.clear();
    const ids = new Set(tasks.map(({ id }) => id));
    for (const id of this.#nextLine.keys()) if (!ids.has(id)) this.#nextLine.delete(id);
    for (const task of tasks) this.learn(task);
  }

  /** What is older than what is known already is left out. */
  learn({ id, setup = this.#tasks.get(id)?.setup, status }: Partial<Task> & Pick<Task, 'id'>): void {
    if (!setup || !status || (this.#tasks.get(id)?.status.revision ?? -1) > status.revision) return;
    this.#tasks.set(id, { id, setup, status, toldAt: performance.now() });
  }

  remove(id: string): void {
    this.#tasks.delete(id);
    this.#nextLine.delete(id);
  }

  /** The task that said them; undefined when there is nothing new. */
  hear(id: string, lines: readonly LogLine[]): KnownTask | undefined {
    const last = lines.at(-1);
    if (last) this.#nextLine.set(id, last.number + 1);
    return last && this.#tasks.get(id);
  }
}
