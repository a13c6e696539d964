import { alreadyExists, failedPrecondition, notFound } from '#proto/wire/status.ts';
import type { KeptTasks, LeftTask } from './kept/kept-tasks.ts';
import type { LogLine } from './log-ring.ts';
import { PortHolder } from './port-holder.ts';
import { type Disturbance, SupervisedTask, type SupervisedTaskEnv } from './supervised-task.ts';
import { BoundRunner, type LineListener, type TaskRunner } from './task-runner.ts';
import { nameOf, type Setup, taskId } from './task-setup.ts';

export type TaskStatus = SupervisedTask['status'] & {
  /** Grows with every change of any task: of two statuses the one with the larger is newer. */
  readonly revision: number;
};

export interface Task {
  readonly id: string;
  readonly setup: Setup;
  readonly status: TaskStatus;
}

export interface SupervisorEnv extends Pick<SupervisedTaskEnv, 'program' | 'variables' | 'yields' | 'tls' | 'folder'> {
  /** What is known of tasks that outlive their agent; undefined: they end with it. */
  readonly kept?: KeptTasks | undefined;
}

/** Hears what happens to the tasks. */
export interface SupervisorListener {
  /** It is new, or started anew or switched. */
  onTask(task: Task): void;
  onStatus(status: TaskStatus): void;
  onRemoved(id: string): void;
  /** It has said something. */
  onLines(id: string): void;
}

/** All tasks of this machine. `close` ends them; `leave` lets them go on where that was asked for. */
export class Supervisor {
  readonly #env: SupervisorEnv;
  readonly #tasks = new Map<string, SupervisedTask>();
  readonly #listeners = new Set<SupervisorListener>();
  readonly #ports = new PortHolder();
  #revision = 0;
  #isClosed = false;

  constructor(env: SupervisorEnv) {
    this.#env = env;
  }

  /** Goes on with the tasks that the agent before this one has left. */
  async adopt(): Promise<void> {
    await Promise.all(((await this.#env.kept?.open()) ?? []).map((left) => this.#adopt(left)));
  }

  get tasks(): readonly Task[] {
    return [...this.#tasks.values()].map((task) => this.#describe(task));
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** Hears everything until the returned function is called. */
  listen(listener: SupervisorListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reservePorts(wanted: readonly number[]): Promise<readonly number[]> {
    return this.#ports.reserve(wanted);
  }

  /** ALREADY_EXISTS when it runs already; one that was lost is replaced. INVALID_ARGUMENT when the setup makes no sense. */
  start(setup: Setup): Task {
    if (this.#isClosed) throw failedPrecondition('The agent is shutting down');
    const id = taskId(setup);
    const known = this.#tasks.get(id);
    if (known && known.status.state !== 'lost') throw alreadyExists(`${nameOf(setup)} is ${known.status.state} already; stop it first`);
    const task =
      known ??
      new SupervisedTask(
        setup,
        this.#envOf(id, (onLine) => this.#runnerOf(id, onLine)),
      );
    this.#tasks.set(id, task);
    task.start(setup);
    return this.#tell(task);
  }

  restart(id: string, setup: Setup | undefined): Task {
    const task = this.#get(id);
    if (setup && taskId(setup) !== id) throw failedPrecondition(`${id} cannot become ${taskId(setup)}`);
    task.start(setup);
    return this.#tell(task);
  }

  async stop(id: string): Promise<void> {
    const task = this.#tasks.get(id);
    if (!task) return;
    await task.stop();
    if (this.#tasks.get(id) !== task) return;
    // What it said last can still be read by those who hear of its end.
    for (const listener of this.#listeners) listener.onRemoved(id);
    this.#tasks.delete(id);
  }

  setRestart(id: string, restart: boolean): Task {
    const task = this.#get(id);
    task.setRestart(restart);
    return this.#tell(task);
  }

  disturb(id: string, how: Disturbance): Task {
    const task = this.#get(id);
    task.disturb(how);
    return this.#describe(task);
  }

  /** Resolves when the task has been told. `seconds` do not matter without a network, which closes it. */
  async setOpening(id: string, network: string, seconds: number): Promise<Task> {
    const task = this.#get(id);
    await task.setOpening(network === '' ? undefined : { network, seconds });
    return this.#describe(task);
  }

  /** Resolves when what is known of a task by now outlives this agent, where that is wanted. */
  async noted(id: string): Promise<void> {
    await this.#tasks.get(id)?.noted;
  }

  logs(id: string, from: number, most: number): { readonly lines: readonly LogLine[]; readonly total: number } {
    const { log } = this.#get(id);
    return { lines: log.from(from, most), total: log.total };
  }

  /** Ends all tasks; resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...[...this.#tasks.keys()].map((id) => this.stop(id)), this.#ports.close()]);
    await this.#env.kept?.close();
  }

  /** Lets all tasks go on without this agent; resolves when another one can go on with them. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...[...this.#tasks.values()].map((task) => task.leave()), this.#ports.close()]);
    await this.#env.kept?.close();
  }

  async #adopt({ id, facts, fate, runner }: LeftTask): Promise<void> {
    const task = new SupervisedTask(facts.setup, this.#envOf(id, runner));
    this.#tasks.set(id, task);
    await task.goOn(facts, fate);
  }

  #runnerOf(id: string, onLine: LineListener): TaskRunner {
    return this.#env.kept?.runnerOf(id, onLine) ?? new BoundRunner(onLine);
  }

  #get(id: string): SupervisedTask {
    const task = this.#tasks.get(id);
    if (task) return task;
    throw notFound(`There is no task ${id} on this machine; it may have been stopped`);
  }

  #envOf(id: string, runner: SupervisedTaskEnv['runner']) {
    return {
      ...this.#env,
      runner,
      freePort: (port: number) => this.#ports.release(port),
      onStatus: () => {
        const task = this.#tasks.get(id);
        if (!task) return;
        const { status } = this.#describe(task, ++this.#revision);
        for (const listener of this.#listeners) listener.onStatus(status);
      },
      onLine: () => {
        for (const listener of this.#listeners) listener.onLines(id);
      },
    };
  }

  #tell(task: SupervisedTask): Task {
    const told = this.#describe(task, ++this.#revision);
    for (const listener of this.#listeners) listener.onTask(told);
    return told;
  }

  #describe(task: SupervisedTask, revision: number = this.#revision): Task {
    return { id: task.id, setup: task.setup, status: { ...task.status, revision } };
  }
}
