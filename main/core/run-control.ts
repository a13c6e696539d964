import type { ClusterInfo, Pins, RunInfo, RunPlan, RunRequest } from '#proto/ipc/contract.ts';
import { cancelled, failedPrecondition } from '#proto/wire/status.ts';
import type { ClusterInput } from '../client/index.ts';
import type { ClusterManager } from '../cluster/cluster-manager.ts';
import type { FormCluster } from '../cluster/formed-cluster.ts';
import { TaskStarts } from '../cluster/task-starts.ts';
import { wantedTasks } from '../program-host/placement/expected-devices.ts';
import type { ProgramSource } from '../program-host/protocol.ts';
import { addressesOf, LANFLOW, runRecorded } from '../program-host/recorded-run.ts';
import { Steering } from '../program-host/steering.ts';
import { findProgram } from '../programs/index.ts';
import type { Recorder } from '../runs/recorder.ts';
import type { RunLibrary } from '../runs/run-library.ts';
import { isGoingOn } from '../runs/run-record.ts';

export interface RunControlEnv {
  /** The built program host. */
  readonly programHost: string;
  readonly clusters: ClusterManager;
  readonly runs: RunLibrary;
  /** Forms the cluster of a run that runs on none of the user's. */
  readonly formFor: (title: string) => FormCluster;
  /** Which program a name means. */
  readonly sourceOf: (program: string) => Promise<ProgramSource>;
  /** Where the user wants a program's nodes. */
  readonly pinsOf: (program: string) => Promise<Pins>;
  /** As the host application calls it. */
  readonly titleOf: (program: string) => Promise<string | undefined>;
}

interface ActiveRun {
  readonly recorder: Recorder;
  /** The user's cluster that it runs on. */
  readonly cluster: { readonly id: string; readonly starts: TaskStarts } | undefined;
  readonly steering: Steering;
  readonly stop: AbortController;
  /** Resolves when it is over and recorded. */
  done: Promise<void>;
}

interface RunOrders {
  readonly source: ProgramSource;
  readonly cluster: ClusterInput | undefined;
  readonly plan: RunPlan | undefined;
  readonly pins: Pins;
}

/** The runs that go on in this core. `close` stops them. */
export class RunControl {
  readonly #env: RunControlEnv;
  readonly #active = new Map<string, ActiveRun>();

  constructor(env: RunControlEnv) {
    this.#env = env;
  }

  /** Resolves as soon as the run exists. Its failure is part of the run. */
  async start({ program, cluster, title, plan }: RunRequest): Promise<RunInfo> {
    const { sourceOf, pinsOf, titleOf, clusters, runs } = this.#env;
    const source = await sourceOf(program);
    const managed = cluster === undefined ? undefined : clusters.get(cluster);
    const spec = managed?.spec;
    const pins = await pinsOf(program);
    const sample = findProgram(program);
    const programTitle = sample?.title ?? (await titleOf(program)) ?? program.replace(/^.*[\\/]/, '');
    const recorder = await runs.start({
      title: title || programTitle,
      program,
      programTitle,
      tasks: spec ? spec.tasks.map(({ name }) => name) : wantedTasks(sample?.cluster ?? {}),
      cluster: spec ? addressesOf(spec) : {},
      ...(cluster !== undefined && { clusterId: cluster }),
    });
    const on = managed && { id: managed.info.id, starts: new TaskStarts(managed.info) };
    const run: ActiveRun = { recorder, cluster: on, steering: new Steering(), stop: new AbortController(), done: Promise.resolve() };
    this.#active.set(recorder.record.id, run);
    run.done = this.#run(run, { source, cluster: spec?.toObject(), plan, pins });
    return recorder.info;
  }

  pause(id: string): RunInfo {
    const run = this.#goingOn(id);
    run.steering.pause();
    // A run that still starts is paused as soon as its clients are there.
    if (run.recorder.record.state === 'running') run.recorder.change({ state: 'paused', status: '' });
    run.recorder.addLine(LANFLOW, 'progress', 'Paused: every client is held before its next step');
    return run.recorder.info;
  }

  resume(id: string): RunInfo {
    const run = this.#goingOn(id);
    run.steering.resume();
    if (run.recorder.record.state === 'paused') run.recorder.change({ state: 'running', status: '' });
    run.recorder.addLine(LANFLOW, 'progress', 'Resumed');
    return run.recorder.info;
  }

  step(id: string): RunInfo {
    const { steering, recorder } = this.#goingOn(id);
    if (!steering.isPaused) throw failedPrecondition(`Run '${recorder.record.title}' is not paused; pause it to go step by step`);
    steering.step();
    return recorder.info;
  }

  traceNext(id: string): void {
    this.#goingOn(id).steering.traceNext();
  }

  async reinitialize(id: string): Promise<void> {
    const { steering, recorder } = this.#goingOn(id);
    const count = await steering.reinitialize();
    const text =
      count === 0 ? 'No session of the run has a variable that could be initialized again' : `Initialized again: ${count} variables`;
    recorder.addLine(LANFLOW, 'progress', text);
  }

  /** Resolves when all its processes are gone. Does nothing for a run that is over. */
  async stop(id: string): Promise<RunInfo> {
    const run = this.#active.get(id);
    if (!run) this.#env.runs.checkIsOurs(id);
    // One that is just ending by itself ends as it would have.
    if (run && isGoingOn(run.recorder.record)) run.recorder.change({ state: 'stopping', status: '' });
    run?.stop.abort(cancelled('Stopped by the user'));
    await run?.done;
    return this.#env.runs.get(id);
  }

  /** What a task of a user's cluster says belongs to the log of every run on it. */
  addTaskLine(cluster: string, task: string, line: string): void {
    for (const run of this.#active.values()) if (run.cluster?.id === cluster) run.recorder.addLine(task, 'task', line);
  }

  /** A task of a user's cluster that was started again belongs to the record of every run on it. */
  noteClusters(clusters: readonly ClusterInfo[]): void {
    for (const { cluster, recorder } of this.#active.values()) {
      const info = cluster && clusters.find(({ id }) => id === cluster.id);
      if (info) for (const task of cluster.starts.note(info)) recorder.addRestart(task);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#active.keys()].map((id) => this.stop(id)));
  }

  #goingOn(id: string): ActiveRun {
    const run = this.#active.get(id);
    if (run && !run.stop.signal.aborted && isGoingOn(run.recorder.record)) return run;
    this.#env.runs.checkIsOurs(id);
    throw failedPrecondition(`Run '${this.#env.runs.get(id).title}' is over`);
  }

  /** Never rejects. */
  async #run({ recorder, steering, stop }: ActiveRun, { cluster, plan, ...orders }: RunOrders): Promise<void> {
    const run = runRecorded(recorder, {
      ...{ entry: this.#env.programHost, steering, signal: stop.signal, form: this.#env.formFor(recorder.record.title) },
      ...orders,
      // The user can restart the tasks of a cluster that stands.
      ...(cluster && { cluster, holdsOnLoss: true }),
      ...(plan && { plan }),
    });
    // How it failed is recorded.
    await Promise.allSettled([run]);
    this.#active.delete(recorder.record.id);
    this.#env.runs.settle(recorder);
  }
}
