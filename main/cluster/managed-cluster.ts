import type { ClusterInfo, JobDraft } from '#proto/ipc/contract.ts';
import { Code, cancelled, failedPrecondition, notFound, StatusError } from '#proto/wire/status.ts';
import { ClusterSpec, Session } from '../client/index.ts';
import type { SavedCluster } from '../store/index.ts';
import { freePorts } from './free-ports.ts';
import { TaskProcess, type TaskProcessEnv } from './task-process.ts';
import { type ClusterPhase, clusterState } from './task-status.ts';

/** Another program may take a port between its choice and its use; the tasks are then started anew with other ports. */
const ATTEMPTS = 3;

/** One saved cluster with all its tasks on this machine: its life from stopped over running to stopped again. */
export class ManagedCluster {
  readonly saved: SavedCluster;
  readonly #env: TaskProcessEnv;
  readonly #tasks: readonly TaskProcess[];
  #phase: ClusterPhase = 'stopped';
  #spec: ClusterSpec | undefined;
  #stopping = new AbortController();
  /** Starts under way, which never reject: a task that comes up while the cluster is being stopped must be stopped too. */
  readonly #starts = new Set<Promise<void>>();

  constructor(saved: SavedCluster, env: TaskProcessEnv) {
    this.saved = saved;
    this.#env = env;
    this.#tasks = saved.jobs.flatMap(({ name, tasks }) => tasks.map((task) => new TaskProcess(name, task, env)));
  }

  get info(): ClusterInfo {
    const { id, title, jobs } = this.saved;
    const infos = this.#tasks.map(({ job, info }) => ({ job, info }));
    const tasksOf = (name: string) => infos.filter(({ job }) => job === name).map(({ info }) => info);
    const state = clusterState(
      this.#phase,
      infos.map(({ info }) => info.state),
    );
    return { id, title, state, jobs: jobs.map(({ name }) => ({ name, tasks: tasksOf(name) })) };
  }

  get isStopped(): boolean {
    return this.#phase === 'stopped';
  }

  /** Addresses of all tasks. FAILED_PRECONDITION when it does not run. */
  get spec(): ClusterSpec {
    if (this.#spec && this.#phase === 'started') return this.#spec;
    throw failedPrecondition(`Cluster '${this.saved.title}' does not run; start it first`);
  }

  /**
   * Resolves when all tasks listen. When some do not come up the others stay, so that these can be restarted in place, and it
   * rejects with the first one's error; when none does, the cluster is stopped. CANCELLED when it is stopped meanwhile.
   */
  async start(): Promise<void> {
    if (!this.isStopped) throw failedPrecondition(`Cluster '${this.saved.title}' is ${this.info.state} already`);
    this.#stopping = new AbortController();
    this.#enter('starting');
    try {
      await this.#tracked(this.#startTasks(this.#stopping.signal));
    } catch (error) {
      if (this.#stopping.signal.aborted) throw cancelled(`The start of cluster '${this.saved.title}' was cancelled`, { cause: error });
      const isUp = this.#tasks.some(({ info }) => info.state === 'running');
      this.#enter(isUp ? 'started' : 'stopped');
      throw error;
    }
    this.#enter('started');
  }

  /** Ends all tasks; resolves when their processes are gone. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.#stopping.abort();
    this.#enter('stopping');
    await Promise.all(this.#starts);
    await Promise.all(this.#tasks.map((task) => task.stop()));
    this.#spec = undefined;
    this.#enter('stopped');
  }

  /** Ends the task if it runs, and starts it at its old address: with a new incarnation, and without its variables. */
  async restartTask(name: string): Promise<void> {
    const [task, spec] = [this.#task(name), this.spec];
    await task.stop();
    await this.#tracked(task.start(spec, this.#stopping.signal));
  }

  disturbTask(name: string, how: 'kill' | 'pause' | 'resume'): void {
    this.#task(name).disturb(how);
  }

  /** Frees variables and queues on all tasks, and closes the sessions of the first one. */
  async clearVariables(): Promise<void> {
    const [first] = this.spec.tasks;
    if (first) await Session.reset(`grpc://${first.address}`, [], { cluster: this.spec, operationTimeoutMs: 10_000 });
  }

  async #startTasks(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const spec = new ClusterSpec(await chooseAddresses(this.saved.jobs));
      this.#spec = spec;
      signal.throwIfAborted();
      const results = await Promise.allSettled(this.#tasks.map((task) => task.start(spec, signal)));
      const failed = results.find((result) => result.status === 'rejected');
      if (!failed) return;
      if (attempt === ATTEMPTS || signal.aborted || !isPortTaken(failed.reason)) throw failed.reason;
      await Promise.all(this.#tasks.map((task) => task.stop()));
    }
  }

  async #tracked(start: Promise<void>): Promise<void> {
    const settled = start.catch(() => undefined);
    this.#starts.add(settled);
    try {
      await start;
    } finally {
      this.#starts.delete(settled);
    }
  }

  #task(name: string): TaskProcess {
    const task = this.#tasks.find((each) => each.name === name);
    if (task) return task;
    throw notFound(`Cluster '${this.saved.title}' has no task ${name}`);
  }

  #enter(phase: ClusterPhase): void {
    this.#phase = phase;
    this.#env.onChange();
  }
}

async function chooseAddresses(jobs: readonly JobDraft[]): Promise<Record<string, Record<number, string>>> {
  const ports = (await freePorts(jobs.flatMap(({ tasks }) => tasks.map(({ port }) => port)))).values();
  return Object.fromEntries(
    jobs.map(({ name, tasks }) => [name, Object.fromEntries(tasks.map(({ index }) => [index, `127.0.0.1:${ports.next().value}`]))]),
  );
}

function isPortTaken(error: unknown): boolean {
  return error instanceof StatusError && error.code === Code.UNAVAILABLE && error.message.includes('already in use');
}
