import { create } from '@bufbuild/protobuf';
import { type ClusterDef, ClusterDefSchema } from '#proto/generated/tensorflow/cluster_pb.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** Jobs by name: addresses `host:port` in order of the task index, or by index where not every index is used. */
export type ClusterInput = Readonly<Record<string, readonly string[] | Readonly<Record<number, string>>>>;

/** The value of the environment variable TF_CONFIG: a cluster and the place of one task in it. */
export interface TfConfig {
  readonly cluster: ClusterSpec;
  readonly task?: { readonly type: string; readonly index: number };
}

export interface ClusterTask {
  readonly job: string;
  readonly index: number;
  /** `host:port` */
  readonly address: string;
  /** `/job:ps/replica:0/task:0` */
  readonly name: string;
}

/**
 * Which task of which job listens where. Immutable.
 * @throws StatusError INVALID_ARGUMENT when a job's name or an index cannot be one, or an address is not `host:port`.
 */
export class ClusterSpec {
  readonly #jobs: ReadonlyMap<string, ReadonlyMap<number, string>>;

  constructor(jobs: ClusterInput) {
    // Sorted by name, as TensorFlow sorts them, so that equal clusters have equal definitions.
    const entries = Object.entries(jobs).sort(([a], [b]) => (a < b ? -1 : 1));
    this.#jobs = new Map(entries.map(([job, tasks]) => [checkJob(job), readTasks(job, tasks)]));
  }

  static fromDef(def: ClusterDef): ClusterSpec {
    return new ClusterSpec(Object.fromEntries(def.job.map(({ name, tasks }) => [name, tasks])));
  }

  /** Reads the JSON text of TF_CONFIG. */
  static fromTfConfig(text: string): TfConfig {
    const config = parseObject(text);
    const cluster = new ClusterSpec((config['cluster'] ?? {}) as ClusterInput);
    const task = config['task'] as { type?: unknown; index?: unknown } | undefined;
    if (typeof task?.type !== 'string') return { cluster };
    return { cluster, task: { type: task.type, index: Number(task.index ?? 0) } };
  }

  get jobs(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** All tasks, by job and index. */
  get tasks(): readonly ClusterTask[] {
    return this.jobs.flatMap((job) =>
      [...(this.#jobs.get(job) ?? [])].map(([index, address]) => ({ job, index, address, name: taskName(job, index) })),
    );
  }

  /** Number of tasks of a job; 0 for a job that is not in the cluster. */
  taskCount(job: string): number {
    return this.#jobs.get(job)?.size ?? 0;
  }

  /** `host:port` of a task. Throws INVALID_ARGUMENT when the cluster has no such task. */
  address(job: string, index: number): string {
    const address = this.#jobs.get(job)?.get(index);
    if (address !== undefined) return address;
    const known = this.#jobs.has(job) ? `job '${job}' has tasks ${[...(this.#jobs.get(job)?.keys() ?? [])]}` : `jobs are ${this.jobs}`;
    throw invalidArgument(`No task ${index} of job '${job}' in the cluster: ${known}`);
  }

  /** What a session dials to make a task its master: `grpc://host:port`. */
  target(job: string, index: number): string {
    return `grpc://${this.address(job, index)}`;
  }

  toDef(): ClusterDef {
    const job = [...this.#jobs].map(([name, tasks]) => ({ name, tasks: Object.fromEntries(tasks) }));
    return create(ClusterDefSchema, { job });
  }

  /** Lists where the indexes are 0, 1, 2…, objects by index elsewhere. */
  toObject(): Record<string, readonly string[] | Readonly<Record<number, string>>> {
    const plain = (tasks: ReadonlyMap<number, string>) =>
      [...tasks.keys()].every((index, i) => index === i) ? [...tasks.values()] : Object.fromEntries(tasks);
    return Object.fromEntries([...this.#jobs].map(([job, tasks]) => [job, plain(tasks)]));
  }

  /** JSON text for TF_CONFIG, for one task or for the cluster alone. */
  toTfConfig(task?: TfConfig['task']): string {
    return JSON.stringify({ cluster: this.toObject(), ...(task && { task }) });
  }
}

function checkJob(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return name;
  throw invalidArgument(`'${name}' cannot be the name of a job: it must be a letter, then letters, digits and underscores`);
}

function readTasks(job: string, tasks: ClusterInput[string]): ReadonlyMap<number, string> {
  const entries = Object.entries(tasks).map(([key, address]): [number, string] => {
    if (!/^\d+$/.test(key)) throw invalidArgument(`'${key}' is no task index of job '${job}'`);
    return [Number(key), checkAddress(String(address), `task ${key} of job '${job}'`)];
  });
  return new Map(entries.sort(([a], [b]) => a - b));
}

function checkAddress(address: string, where: string): string {
  const port = /^(?:[^/:[\]]+|\[[0-9A-Fa-f:.%]+\]):(\d+)$/.exec(address)?.[1];
  if (port !== undefined && Number(port) <= 65535) return address;
  throw invalidArgument(`Could not interpret "${address}" as a host-port pair (${where})`);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw invalidArgument(`TF_CONFIG is not JSON: ${String(error)}`, { cause: error });
  }
  throw invalidArgument('TF_CONFIG is not a JSON object');
}
