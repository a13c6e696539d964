import type { TaskPorts } from '#proto/ipc/contract.ts';
import { ClusterSpec, Code, LocalTask, StatusError } from '../client/index.ts';
import { freePorts } from './free-ports.ts';
import { reservePorts } from './reserve-ports.ts';

export interface LocalClusterOptions {
  /** Number of tasks of each job. */
  readonly jobs: Readonly<Record<string, number>>;
  /** Pretended graphics cards of every task. */
  readonly virtualGpus?: number;
  readonly engine?: 'bundled' | 'tensorflow';
  readonly placement?: 'first-task' | 'local';
  /** From which those of the tasks are chosen; any free ones by default. */
  readonly ports?: TaskPorts;
  /** Program of a task; see `LocalTaskOptions.bundle`. */
  readonly bundle?: string;
  /** One line whenever a task has come up. */
  readonly onProgress?: (text: string) => void;
  /** What the tasks log, by task name. */
  readonly onLog?: (task: string, line: string) => void;
  readonly signal?: AbortSignal;
}

/** Another program may take a port between its choice and its use; a cluster is then started anew with other ports. */
const ATTEMPTS = 3;

/** Task processes of one cluster on this machine, reachable from this machine only. They end with this process at the latest. */
export class LocalCluster {
  readonly spec: ClusterSpec;
  readonly #tasks: readonly LocalTask[];

  private constructor(spec: ClusterSpec, tasks: readonly LocalTask[]) {
    this.spec = spec;
    this.#tasks = tasks;
  }

  /** Resolves when every task listens. When one does not come up the others are stopped, and its error is passed on. */
  static async start(options: LocalClusterOptions): Promise<LocalCluster> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await LocalCluster.#startOnce(options);
      } catch (error) {
        if (attempt === ATTEMPTS || !isPortTaken(error)) throw error;
      }
    }
  }

  static async #startOnce(options: LocalClusterOptions): Promise<LocalCluster> {
    const spec = await chooseAddresses(options);
    const results = await Promise.allSettled(spec.tasks.map(({ job, index, name }) => startTask(spec, { job, index, name }, options)));
    const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return new LocalCluster(spec, started);
    await Promise.all(started.map((task) => task.stop()));
    throw failed.reason;
  }

  /** Ends all tasks; resolves when their processes are gone. */
  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
  }
}

interface Place {
  readonly job: string;
  readonly index: number;
  readonly name: string;
}

async function startTask(spec: ClusterSpec, { job, index, name }: Place, options: LocalClusterOptions): Promise<LocalTask> {
  const { virtualGpus = 0, engine = 'bundled', placement = 'first-task', bundle, onLog, onProgress, signal } = options;
  const flags = ['--engine', engine, '--placement', placement];
  if (virtualGpus > 0) flags.push('--virtual-devices', `GPU=${virtualGpus}`);
  const task = await LocalTask.start({
    cluster: spec,
    job,
    index,
    flags,
    ...(bundle && { bundle }),
    ...(signal && { signal }),
    ...(onLog && { onLog: (line: string) => onLog(name, line) }),
  });
  onProgress?.(`${name} listens at ${task.target}`);
  return task;
}

function isPortTaken(error: unknown): boolean {
  return error instanceof StatusError && error.code === Code.UNAVAILABLE && error.message.includes('already in use');
}

async function chooseAddresses({ jobs, ports = 'any' }: LocalClusterOptions): Promise<ClusterSpec> {
  const wanted = Object.values(jobs).flatMap((count) => new Array<number>(count).fill(0));
  const chosen = (await reservePorts(ports, { wanted, reserve: freePorts, machine: 'this machine' })).values();
  const addresses = (count: number) => Array.from({ length: count }, () => `127.0.0.1:${chosen.next().value}`);
  return new ClusterSpec(Object.fromEntries(Object.entries(jobs).map(([job, count]) => [job, addresses(count)])));
}
