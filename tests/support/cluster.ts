import { freePorts } from './task-ports.ts';
import { type Addresses, startTask, type TaskEngine, type TaskProcess } from './task-process.ts';

export interface ClusterShape {
  /** Job → number of tasks, or the indices of a sparse job. */
  readonly jobs: Readonly<Record<string, number | readonly number[]>>;
  readonly engine: TaskEngine | ((job: string, task: number) => TaskEngine);
  /** Flags for tasks of the bundled engine. */
  readonly bundledFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Tasks that are not started yet, as `job:index`. */
  readonly later?: readonly string[];
}

/** Running tasks of one cluster, all on 127.0.0.1. */
export interface Cluster {
  readonly addresses: Addresses;
  target(job: string, task: number): string;
  engineOf(job: string, task: number): TaskEngine;
  /** Throws when the task does not run. */
  process(job: string, task: number): TaskProcess;
  /** Starts one that was left for later, or starts one anew at its old address. */
  start(job: string, task: number): Promise<TaskProcess>;
  /** SIGKILL, and waits until the process is gone. */
  kill(job: string, task: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts every task at once and waits until all listen. When one does not start, the others are stopped. */
export async function startCluster(shape: ClusterShape): Promise<Cluster> {
  const cluster = await describeCluster(shape);
  const wanted = Object.entries(cluster.addresses).flatMap(([job, tasks]) =>
    Object.keys(tasks).map((task) => [job, Number(task)] as const),
  );
  const now = wanted.filter(([job, task]) => !shape.later?.includes(`${job}:${task}`));
  const results = await Promise.allSettled(now.map(([job, task]) => cluster.start(job, task)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await cluster.stop();
    throw failed.reason;
  }
  return cluster;
}

async function describeCluster({ jobs, engine, bundledFlags, env }: ClusterShape): Promise<Cluster> {
  const addresses = await addressesFor(jobs);
  const running = new Map<string, TaskProcess>();
  const engineOf = (job: string, task: number) => (typeof engine === 'function' ? engine(job, task) : engine);
  const process = (job: string, task: number): TaskProcess => {
    const found = running.get(`${job}:${task}`);
    if (!found) throw new Error(`/job:${job}/task:${task} does not run`);
    return found;
  };
  return {
    addresses,
    engineOf,
    process,
    target: (job, task) => `grpc://${addresses[job]?.[task]}`,
    async start(job, task) {
      const own = engineOf(job, task);
      const flags = own === 'bundled' ? (bundledFlags ?? []) : [];
      const started = await startTask({ cluster: addresses, job, task, engine: own, flags, ...(env && { env }) });
      running.set(`${job}:${task}`, started);
      return started;
    },
    async kill(job, task) {
      const victim = process(job, task);
      running.delete(`${job}:${task}`);
      victim.kill('SIGKILL');
      await victim.ended;
    },
    async stop() {
      await Promise.all([...running.values()].map((task) => task.stop()));
      running.clear();
    },
  };
}

async function addressesFor(jobs: ClusterShape['jobs']): Promise<Addresses> {
  const tasks = Object.entries(jobs).flatMap(([job, wanted]) => indices(wanted).map((task) => ({ job, task })));
  const ports = await freePorts(tasks.length);
  const addresses: Record<string, Record<number, string>> = {};
  for (const [at, { job, task }] of tasks.entries()) {
    const byTask = addresses[job] ?? {};
    byTask[task] = `127.0.0.1:${ports[at]}`;
    addresses[job] = byTask;
  }
  return addresses;
}

function indices(wanted: number | readonly number[]): readonly number[] {
  return typeof wanted === 'number' ? Array.from({ length: wanted }, (_, index) => index) : wanted;
}
