import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { RunInfo, RunRequest } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { cancelled, invalidArgument, notFound, type StatusError, toStatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec } from '../client/index.ts';
import type { ClusterManager } from '../cluster/cluster-manager.ts';
import type { ProgramSource } from '../program-host/protocol.ts';
import { type RunEvent, runProgram } from '../program-host/run-program.ts';
import { findProgram } from '../programs/index.ts';
import type { Recorder } from '../runs/recorder.ts';
import type { RunLibrary } from '../runs/run-library.ts';

export interface RunControlEnv {
  /** The built program host. */
  readonly programHost: string;
  readonly clusters: ClusterManager;
  readonly runs: RunLibrary;
}

interface ActiveRun {
  readonly recorder: Recorder;
  /** Id of the user's cluster that it runs on. */
  readonly cluster: string | undefined;
  readonly stop: AbortController;
  /** Resolves when it is over and recorded. */
  done: Promise<void>;
}

/** The source of what this core itself says in a run's log. */
const CORE = 'lanflow';

/** The runs that go on in this core. `close` stops them. */
export class RunControl {
  readonly #env: RunControlEnv;
  readonly #active = new Map<string, ActiveRun>();

  constructor(env: RunControlEnv) {
    this.#env = env;
  }

  /** Resolves as soon as the run exists. Its failure is part of the run. */
  async start({ program, cluster, title }: RunRequest): Promise<RunInfo> {
    const source = programSource(program);
    const spec = cluster === undefined ? undefined : this.#env.clusters.get(cluster).spec;
    const sample = findProgram(program);
    const programTitle = sample?.title ?? program.replace(/^.*[\\/]/, '');
    const recorder = await this.#env.runs.start({
      title: title || programTitle,
      program,
      programTitle,
      tasks: spec ? spec.tasks.map(({ name }) => name) : tasksOf(sample?.cluster ?? {}),
      cluster: spec ? addressesOf(spec) : {},
    });
    const run: ActiveRun = { recorder, cluster, stop: new AbortController(), done: Promise.resolve() };
    this.#active.set(recorder.record.id, run);
    run.done = this.#run(run, source, spec?.toObject());
    return recorder.info;
  }

  /** Resolves when all its processes are gone. Does nothing for a run that is over. */
  async stop(id: string): Promise<RunInfo> {
    const run = this.#active.get(id);
    run?.recorder.change({ state: 'stopping', status: '' });
    run?.stop.abort(cancelled('Stopped by the user'));
    await run?.done;
    return this.#env.runs.get(id);
  }

  /** What a task of a user's cluster says belongs to the log of every run on it. */
  addTaskLine(cluster: string, task: string, line: string): void {
    for (const run of this.#active.values()) if (run.cluster === cluster) run.recorder.addLine(task, 'task', line);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#active.keys()].map((id) => this.stop(id)));
  }

  async #run(run: ActiveRun, source: ProgramSource, cluster: ClusterInput | undefined): Promise<void> {
    const { recorder, stop } = run;
    try {
      const { outcomes, problems } = await runProgram({
        entry: this.#env.programHost,
        source,
        ...(cluster && { cluster }),
        local: { onLog: (task, line) => recorder.addLine(task, 'task', line) },
        signal: stop.signal,
        onReady: ({ title: programTitle }, jobs) => {
          const spec = new ClusterSpec(jobs);
          recorder.change({
            state: 'running',
            status: '',
            programTitle,
            tasks: spec.tasks.map(({ name }) => name),
            cluster: addressesOf(spec),
          });
        },
        onEvent: (event) => record(recorder, event),
      });
      await recorder.finish({ state: 'finished', status: '', outcomes: Object.fromEntries(outcomes), problems });
    } catch (error) {
      await finishWith(recorder, toStatusError(error), stop.signal.aborted);
    } finally {
      this.#active.delete(recorder.record.id);
      this.#env.runs.settle(recorder);
    }
  }
}

function record(recorder: Recorder, event: RunEvent): void {
  if (event.kind === 'sample') recorder.addSample(event.client, event.series, event.step, event.value);
  else if (event.kind === 'trace') void recorder.addTrace(event.client, event.name, event.metadata);
  else if (event.kind === 'log') recorder.addLine(event.client, 'client', event.text);
  else {
    // What is told of a task stands in the log under its name.
    const task = /^\/job:\S+/.exec(event.text)?.[0];
    recorder.addLine(event.kind === 'wait' ? event.client : (task ?? CORE), event.kind, event.text);
    recorder.change({ status: event.text });
  }
}

async function finishWith(recorder: Recorder, error: StatusError, wasStopped: boolean): Promise<void> {
  if (wasStopped) return recorder.finish({ state: 'stopped', status: '' });
  recorder.addLine(CORE, 'error', `${error.codeName}: ${error.message}`);
  await recorder.finish({ state: 'failed', status: error.message, errorCode: error.codeName });
}

/** A sample by its name, or a module of the user by its path. */
export function programSource(program: string): ProgramSource {
  if (!/\.[cm]?[jt]s$/.test(program)) {
    if (findProgram(program)) return { sample: program };
    throw notFound(`There is no sample program '${program}'`);
  }
  if (!isAbsolute(program)) throw invalidArgument(`'${program}' must be the whole path of a module`);
  if (!existsSync(program)) throw notFound(`${program} is not there`);
  return { module: program };
}

function tasksOf(cluster: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(cluster).flatMap(([job, count]) => Array.from({ length: count }, (_, index) => taskName(job, index)));
}

function addressesOf(spec: ClusterSpec): Record<string, Record<string, string>> {
  const jobs = spec.jobs.map((job) => [job, spec.tasks.filter((task) => task.job === job)] as const);
  return Object.fromEntries(jobs.map(([job, tasks]) => [job, Object.fromEntries(tasks.map(({ index, address }) => [index, address]))]));
}
