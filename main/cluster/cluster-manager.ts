import { randomBytes } from 'node:crypto';
import type { ClusterDraft, ClusterInfo } from '#proto/ipc/contract.ts';
import { failedPrecondition, invalidArgument, notFound } from '#proto/wire/status.ts';
import type { SavedCluster, Store } from '../store/index.ts';
import { ManagedCluster } from './managed-cluster.ts';

export interface ClusterManagerEnv {
  readonly store: Store;
  readonly machine: string;
  readonly onChange: () => void;
  readonly onLog: (cluster: string, task: string, line: string) => void;
}

/** How often heartbeats and memory are told while a cluster runs. */
const REFRESH_MS = 1000;

/** All clusters that the user has formed, running or not. Owned by the core; `close` ends their tasks. */
export class ClusterManager {
  readonly #env: ClusterManagerEnv;
  readonly #clusters = new Map<string, ManagedCluster>();
  readonly #refresh: NodeJS.Timeout;

  private constructor(env: ClusterManagerEnv) {
    this.#env = env;
    this.#refresh = setInterval(() => {
      if ([...this.#clusters.values()].some(({ isStopped }) => !isStopped)) env.onChange();
    }, REFRESH_MS);
  }

  static async open(env: ClusterManagerEnv): Promise<ClusterManager> {
    const manager = new ClusterManager(env);
    for (const saved of await env.store.clusters.read()) manager.#put(saved);
    return manager;
  }

  list(): readonly ClusterInfo[] {
    return [...this.#clusters.values()].map(({ info }) => info);
  }

  /** NOT_FOUND when there is none with this id. */
  get(id: string): ManagedCluster {
    const cluster = this.#clusters.get(id);
    if (cluster) return cluster;
    throw notFound(`There is no cluster '${id}'; it may have been removed`);
  }

  async save(draft: ClusterDraft): Promise<ClusterInfo> {
    checkDraft(draft);
    if (draft.id !== undefined) this.#stopped(draft.id);
    const saved: SavedCluster = { ...draft, id: draft.id ?? randomBytes(6).toString('hex') };
    await this.#env.store.clusters.update((all) =>
      all.some(({ id }) => id === saved.id) ? all.map((each) => (each.id === saved.id ? saved : each)) : [...all, saved],
    );
    const cluster = this.#put(saved);
    this.#env.onChange();
    return cluster.info;
  }

  async remove(id: string): Promise<void> {
    this.#stopped(id);
    await this.#env.store.clusters.update((all) => all.filter((each) => each.id !== id));
    this.#clusters.delete(id);
    this.#env.onChange();
  }

  async start(id: string): Promise<ClusterInfo> {
    const cluster = this.get(id);
    for (const { name, tasks } of cluster.saved.jobs) {
      const elsewhere = tasks.find(({ machine }) => machine !== this.#env.machine);
      if (elsewhere) {
        const task = `Task ${elsewhere.index} of job '${name}'`;
        throw failedPrecondition(`${task} is placed on '${elsewhere.machine}', which is not this machine; place it here`);
      }
    }
    await cluster.start();
    return cluster.info;
  }

  async close(): Promise<void> {
    clearInterval(this.#refresh);
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
  }

  #put(saved: SavedCluster): ManagedCluster {
    const { onChange, onLog } = this.#env;
    const cluster = new ManagedCluster(saved, { onChange, onLog: (task, line) => onLog(saved.id, task, line) });
    this.#clusters.set(saved.id, cluster);
    return cluster;
  }

  #stopped(id: string): void {
    const { saved, isStopped } = this.get(id);
    if (!isStopped) throw failedPrecondition(`Cluster '${saved.title}' is running; stop it first`);
  }
}

function checkDraft({ jobs }: ClusterDraft): void {
  if (!jobs.some(({ tasks }) => tasks.length > 0)) throw invalidArgument('The cluster has no task; place at least one');
  refuseTwice(
    jobs.map(({ name }) => name),
    (name) => `Two jobs are called '${name}'`,
  );
  for (const { name, tasks } of jobs) {
    if (tasks.length === 0) throw invalidArgument(`Job '${name}' has no task; place one or remove the job`);
    refuseTwice(
      tasks.map(({ index }) => index),
      (index) => `Job '${name}' has task ${index} twice`,
    );
  }
  const places = jobs.flatMap(({ tasks }) => tasks.filter(({ port }) => port !== 0).map(({ machine, port }) => `${machine}:${port}`));
  refuseTwice(
    places,
    (place) => `Two tasks have port ${place.slice(place.lastIndexOf(':') + 1)} of the same machine; 0 chooses a free one`,
  );
}

function refuseTwice<T>(values: readonly T[], message: (value: T) => string): void {
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw invalidArgument(message(twice));
}
