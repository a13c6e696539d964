import { type Cluster, type ClusterShape, startCluster } from './cluster.ts';
import { type ClusterKind, enginesOf } from './cluster-kinds.ts';
import type { TaskEngine } from './task-process.ts';

/** What a client program is told about a cluster. */
export interface ClusterDescription {
  readonly id: number;
  readonly kind: ClusterKind;
  readonly addresses: Cluster['addresses'];
  /** By `job:index`. */
  readonly engines: Readonly<Record<string, TaskEngine>>;
}

export interface ClusterWish {
  readonly jobs: ClusterShape['jobs'];
  readonly later?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for the tasks that are ours. */
  readonly flags?: readonly string[];
  readonly virtualGpus?: number;
  /** All tasks alike, whatever the kind. */
  readonly engine?: TaskEngine;
}

/** A request of a client program, as it came through its pipe. */
export interface ControlRequest {
  readonly ask: string;
  readonly cluster?: number;
  readonly job?: string;
  readonly task?: number;
}

type Answer = { readonly answer: unknown } | { readonly error: string };

/** Starts and ends tasks for client programs, which only know clusters by number. */
export class ClusterControl {
  private readonly kind: ClusterKind;
  private readonly clusters: Cluster[] = [];

  constructor(kind: ClusterKind) {
    this.kind = kind;
  }

  async start({ jobs, later = [], env = {}, flags = [], virtualGpus = 0, engine }: ClusterWish): Promise<ClusterDescription> {
    const engines = engine ? () => engine : enginesOf(this.kind, jobs);
    const virtual = virtualGpus > 0 ? ['--virtual-devices', `GPU=${virtualGpus}`] : [];
    const cluster = await startCluster({ jobs, engine: engines, later, env, bundledFlags: [...flags, ...virtual] });
    const id = this.clusters.push(cluster) - 1;
    const tasks = Object.entries(cluster.addresses).flatMap(([job, byTask]) =>
      Object.keys(byTask).map((task) => [job, Number(task)] as const),
    );
    return {
      id,
      kind: this.kind,
      addresses: cluster.addresses,
      engines: Object.fromEntries(tasks.map(([job, task]) => [`${job}:${task}`, engines(job, task)])),
    };
  }

  /** Never rejects: a program gets its error as an answer. */
  async answer(request: ControlRequest): Promise<Answer> {
    try {
      return { answer: (await this.obey(request)) ?? null };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.clusters.map((cluster) => cluster.stop()));
  }

  private async obey(request: ControlRequest): Promise<unknown> {
    if (request.ask === 'another') return this.start(request as unknown as ClusterWish);
    const { job = '', task = 0 } = request;
    const cluster = this.clusters[request.cluster ?? -1];
    if (!cluster) throw new Error(`No cluster ${request.cluster}`);
    const verbs: Readonly<Record<string, () => unknown>> = {
      start: async () => void (await cluster.start(job, task)),
      kill: () => cluster.kill(job, task),
      log: () => cluster.process(job, task).stderr(),
      stop: () => cluster.stop(),
    };
    const verb = verbs[request.ask];
    if (!verb) throw new Error(`No verb ${request.ask}`);
    return verb();
  }
}
