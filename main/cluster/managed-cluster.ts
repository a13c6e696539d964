import type { ClusterInfo, LogPage } from '#proto/ipc/contract.ts';
import { Code, cancelled, failedPrecondition, notFound, toStatusError } from '#proto/wire/status.ts';
import { type ClusterSpec, Session } from '../client/index.ts';
import type { SavedCluster } from '../store/index.ts';
import { AgentStarts } from './agent-starts.ts';
import { Changed } from './changed.ts';
import { type ClusterPhase, clusterState } from './cluster-state.ts';
import { checkEngines } from './draft-check.ts';
import { chooseFormation, type FormationEnv, formationOf } from './formation.ts';
import { ClusterOpenings } from './openings/cluster-openings.ts';
import type { WantedOpening } from './openings/open-network.ts';
import { changesBetween, type Formation, type PlacedTask, placedTasks, setupOf } from './placed-task.ts';
import { checkReach } from './reach-check.ts';
import { TaskControl } from './task-control.ts';
import { taskInfo } from './task-info.ts';
import { Works } from './works.ts';

export interface ManagedClusterEnv extends FormationEnv {
  readonly onChange: () => void;
  /** Where its tasks are reached from this computer while this process keeps a gateway open for a cluster. */
  readonly gatewayOf?: (cluster: string) => ClusterInfo['gateway'];
}

/** Another program may take a port between its choice and its use; the tasks are then started anew with other ports. */
const ATTEMPTS = 3;

/** One saved cluster: its life from stopped over running to stopped again, as the agents of its machines bring it about. */
export class ManagedCluster {
  readonly #env: ManagedClusterEnv;
  readonly #changed = new Changed();
  readonly #control: TaskControl;
  readonly #openings: ClusterOpenings;
  #saved: SavedCluster;
  #phase: ClusterPhase = 'stopped';
  #formation: Formation | undefined;
  readonly #agents: AgentStarts;
  /** Tasks that were moved away from a machine that could not be reached, and may still run there. */
  readonly #leftBehind = new Set<PlacedTask>();
  /** Why a task could not be stopped, by id. */
  readonly #unreached = new Map<string, string>();
  #stopping = new AbortController();
  /** A change that is being saved. */
  #kept: Promise<unknown> = Promise.resolve();
  readonly #works = new Works();

  constructor(saved: SavedCluster, env: ManagedClusterEnv) {
    this.#saved = saved;
    this.#env = env;
    this.#control = new TaskControl(env.machines, this.#changed);
    this.#openings = new ClusterOpenings(env.machines, this.#control);
    this.#agents = new AgentStarts(env.machines);
    this.#adopt();
  }

  get saved(): SavedCluster {
    return this.#saved;
  }

  get info(): ClusterInfo {
    const { id, title, jobs } = this.#saved;
    const infos = this.#tasks.map((task) => ({ job: task.job, info: this.#infoOf(task) }));
    const tasksOf = (name?: string) => infos.filter(({ job }) => name === undefined || job === name).map(({ info }) => info);
    const state = clusterState(this.#phase, tasksOf());
    const gateway = this.#env.gatewayOf?.(id);
    const openings = this.isStopped ? [] : this.#openings.infos(this.#tasks);
    return {
      ...{ id, title, state, jobs: jobs.map(({ name }) => ({ name, tasks: tasksOf(name) })) },
      ...(gateway && { gateway }),
      ...(openings.length > 0 && { openings }),
    };
  }

  get isStopped(): boolean {
    return this.#phase === 'stopped';
  }

  /** It is being started or stopped, and must not become another one meanwhile. */
  get isBusy(): boolean {
    return this.#phase === 'starting' || this.#phase === 'stopping';
  }

  /** Addresses of all tasks. FAILED_PRECONDITION when it does not run. */
  get spec(): ClusterSpec {
    return this.#running.spec;
  }

  /**
   * Resolves when all tasks listen. When some do not come up the others stay, so that these can be restarted in place, and it
   * rejects with the first one's error; when none does, the cluster is stopped. CANCELLED when it is stopped meanwhile.
   */
  async start(): Promise<void> {
    await this.#kept;
    if (!this.isStopped) throw failedPrecondition(`Cluster '${this.#saved.title}' is ${this.info.state} already`);
    this.#unreached.clear();
    await this.#form();
  }

  /** Ends all tasks; resolves when their processes are gone, or cannot be reached. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.#stopping.abort();
    this.#enter('stopping');
    await this.#works.over();
    await Promise.all(this.#tasks.map((task) => this.#stopTask(task)));
    this.#formation = undefined;
    this.#enter('stopped');
  }

  /** Ends the task if it runs, and starts it at its old address: with a new incarnation, and without its variables. */
  async restartTask(name: string): Promise<void> {
    // Also one that keeps a start waiting.
    const formation = this.#phase === 'starting' && this.#formation ? this.#formation : this.#running;
    await this.#works.track(this.#startTask(this.#task(name), formation, this.#stopping.signal));
  }

  async disturbTask(name: string, how: 'kill' | 'pause' | 'resume'): Promise<void> {
    await this.#control.disturb(this.#task(name), how);
  }

  /** Lets machines of a network connect to its tasks in plain text for a time; rejects as `ClusterOpenings.open` does. */
  async openTo(wanted: WantedOpening): Promise<void> {
    if (this.isStopped) throw failedPrecondition(`Cluster '${this.#saved.title}' does not run; start it first`);
    await this.#openings.open(this.#tasks, wanted);
  }

  /** Ends that before its time. Rejects when a task cannot be told; it ends there in its time then. */
  async closeOpenings(): Promise<void> {
    await this.#openings.close(this.#tasks);
  }

  /** What the agent of its machine has kept; nothing when the task does not run. */
  async logs(name: string, from: number): Promise<LogPage> {
    const task = this.#task(name);
    if (!this.#control.known(task)) return { lines: [], total: 0 };
    const { lines, total } = await this.#env.machines.get(task.draft.machine).agent.logs(task.id, from);
    return { lines: lines.map(({ number, time, text }) => ({ number, time, text, source: name, kind: 'task' })), total };
  }

  /** Frees variables and queues on all tasks, and closes the sessions of the first one. */
  async clearVariables(): Promise<void> {
    const { spec } = this;
    const [first] = spec.tasks;
    if (first) await Session.reset(`grpc://${first.address}`, [], { cluster: spec, operationTimeoutMs: 10_000 });
  }

  /**
   * Becomes another one, once `keep` has kept it. What runs goes on with as little change as it can: rejects as a start does when
   * tasks must be started anew, and before anything is changed when that cannot be.
   */
  async change(saved: SavedCluster, keep: () => Promise<unknown>): Promise<void> {
    const changes = changesBetween(this.#saved, saved);
    if (this.isBusy) {
      throw failedPrecondition(`Cluster '${this.#saved.title}' is ${this.info.state}; change it when that is over`);
    }
    const before = this.#phase === 'started' ? this.#formation : undefined;
    if (before) checkEngines(changes.movesAddresses ? placedTasks(saved) : changes.altered, this.#env.machines);
    const formation = before && changes.movesAddresses ? await chooseFormation(placedTasks(saved), this.#env, before) : undefined;
    if (before && !this.#isFormed(before))
      throw failedPrecondition(`Cluster '${this.#saved.title}' is ${this.info.state} by now; change it again`);
    const keeping = keep().then(() => {
      this.#saved = saved;
    });
    this.#kept = keeping.catch(() => undefined);
    await keeping;
    this.#env.onChange();
    if (!before || !this.#isFormed(before)) return;
    await Promise.all(changes.removed.map((task) => this.#leave(task)));
    if (!this.#isFormed(before)) return;
    if (formation) return this.#form(formation);
    const restarts = changes.altered.map((task) => this.#startTask(task, before, this.#stopping.signal));
    const switches = changes.switched.map((task) => this.#control.setRestart(task));
    await this.#works.track(Promise.all([...restarts, ...switches]).then(() => undefined));
  }

  /** The store has another version of it. */
  replace(saved: SavedCluster): void {
    this.#saved = saved;
  }

  /** The agents have told something. */
  update(): void {
    for (const task of this.#tasks) if (this.#unreached.has(task.id)) void this.#stopLate(task);
    for (const task of this.#leftBehind) if (this.#isThere(task)) void this.#leave(task);
    if (this.#phase === 'stopped' || this.#phase === 'started') this.#adopt();
    if (this.#phase === 'started') this.#noteAgents();
    if (this.#phase === 'started' && this.#isGone()) {
      this.#formation = undefined;
      this.#phase = 'stopped';
    }
    this.#changed.tell();
  }

  get #tasks(): readonly PlacedTask[] {
    return placedTasks(this.#saved);
  }

  get #running(): Formation {
    if (this.#formation && this.#phase === 'started') return this.#formation;
    throw failedPrecondition(`Cluster '${this.#saved.title}' does not run; start it first`);
  }

  /** Still, while others may have stopped it or started it anew. */
  #isFormed(formation: Formation): boolean {
    return this.#phase === 'started' && this.#formation === formation;
  }

  /** Starts all tasks; those that run are restarted in place. */
  async #form(first?: Formation): Promise<void> {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    this.#enter('starting');
    try {
      await this.#works.track(this.#startTasks(first, signal));
    } catch (error) {
      if (signal.aborted) throw cancelled(`The start of cluster '${this.#saved.title}' was cancelled`, { cause: error });
      const isUp = this.#tasks.some((task) => this.#infoOf(task).state === 'running');
      if (!isUp) await Promise.all(this.#tasks.map((task) => this.#stopTask(task)));
      this.#enter(isUp ? 'started' : 'stopped');
      throw error;
    }
    this.#enter('started');
  }

  async #startTasks(first: Formation | undefined, signal: AbortSignal): Promise<void> {
    let formation = first;
    for (let attempt = 1; ; attempt++) {
      await Promise.all(this.#tasks.map(({ draft }) => this.#control.online(draft.machine, signal)));
      checkEngines(this.#tasks, this.#env.machines);
      formation ??= await chooseFormation(this.#tasks, this.#env);
      this.#formation = formation;
      signal.throwIfAborted();
      await this.#joinMachines(formation);
      signal.throwIfAborted();
      const { spec, startId } = formation;
      const results = await Promise.allSettled(this.#tasks.map((task) => this.#startTask(task, { spec, startId }, signal)));
      const failed = results.find((result) => result.status === 'rejected');
      if (!failed) return;
      if (attempt === ATTEMPTS || signal.aborted || toStatusError(failed.reason).code !== Code.ALREADY_EXISTS) throw failed.reason;
      formation = undefined;
    }
  }

  /** Tasks on several machines trust each other, and reach each other, before they start. */
  async #joinMachines(formation: Formation): Promise<void> {
    const { machines } = this.#env;
    const ids = new Set(this.#tasks.map(({ draft }) => draft.machine));
    if (ids.size < 2) return;
    if (ids.has(machines.here)) await machines.joinLab();
    await checkReach(this.#tasks, formation, machines);
  }

  async #startTask(task: PlacedTask, { spec, startId }: Formation, signal: AbortSignal): Promise<void> {
    const setup = setupOf(task, this.#saved, { spec, startId });
    await this.#control.start(task, setup, { signal, onTold: () => this.#agents.note(task.draft.machine) });
  }

  async #stopTask(task: PlacedTask): Promise<void> {
    const reason = await this.#control.stop(task);
    if (reason !== undefined) this.#unreached.set(task.id, reason);
  }

  /** A task that could not be stopped is stopped as soon as its machine is there again. */
  async #stopLate(task: PlacedTask): Promise<void> {
    if (!this.#isThere(task)) return;
    this.#unreached.delete(task.id);
    if (this.#control.known(task)) await this.#stopTask(task);
    this.#env.onChange();
  }

  /** A task that goes on elsewhere ends here: at once, or when its machine is there again. */
  async #leave(task: PlacedTask): Promise<void> {
    this.#leftBehind.delete(task);
    if ((await this.#control.stop(task)) !== undefined) this.#leftBehind.add(task);
  }

  #isThere({ draft: { machine } }: PlacedTask): boolean {
    return this.#env.machines.has(machine) && this.#env.machines.get(machine).isOnline;
  }

  /** What somebody else has started counts as if it had been started here. */
  #adopt(): void {
    const known = this.#tasks.flatMap((task) => (this.#unreached.has(task.id) ? [] : (this.#control.known(task) ?? [])));
    const [other] = known;
    // While another core starts it anew, or a machine is away, there are tasks of both formations.
    if (!other || known.some(({ setup }) => setup.startId === this.#formation?.startId)) return;
    this.#formation = formationOf(other);
    this.#agents.clear();
    for (const { draft } of this.#tasks) this.#agents.note(draft.machine);
    this.#phase = 'started';
  }

  /** An agent that has a task of it is the one, also when it has the task from an agent before it. */
  #noteAgents(): void {
    for (const task of this.#tasks) {
      if (this.#control.known(task)?.setup.startId === this.#formation?.startId) this.#agents.note(task.draft.machine);
    }
  }

  /** Somebody else has stopped it: the agents are those that had the tasks, and have none of them. */
  #isGone(): boolean {
    return this.#tasks.every((task) => !this.#control.known(task) && this.#agents.isSame(task.draft.machine));
  }

  #infoOf(task: PlacedTask) {
    const { job, draft } = task;
    return taskInfo({
      job,
      draft,
      phase: this.#phase,
      machine: this.#env.machines.has(draft.machine) ? this.#env.machines.get(draft.machine) : undefined,
      known: this.#control.known(task),
      hasNewAgent: this.#agents.isNew(draft.machine),
      unreached: this.#unreached.get(task.id) ?? '',
    });
  }

  #task(name: string): PlacedTask {
    const task = this.#tasks.find((each) => each.name === name);
    if (task) return task;
    throw notFound(`Cluster '${this.#saved.title}' has no task ${name}`);
  }

  #enter(phase: ClusterPhase): void {
    this.#phase = phase;
    this.#env.onChange();
  }
}
