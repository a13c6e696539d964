import { randomBytes } from 'node:crypto';
import type { ClusterDraft, ClusterInfo } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { failedPrecondition, notFound, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { Machines } from '../machines/machines.ts';
import type { SavedCluster, Store } from '../store/index.ts';
import { checkDraft } from './draft-check.ts';
import { foundClusters } from './found-clusters.ts';
import { ManagedCluster, type ManagedClusterEnv } from './managed-cluster.ts';
import { withTaskMoved } from './moved-task.ts';
import { isTemporary } from './temporary-clusters.ts';

export interface ClusterManagerEnv extends Pick<ManagedClusterEnv, 'gatewayOf'> {
  readonly store: Store;
  readonly machines: Machines;
  readonly onChange: () => void;
  readonly onLog: (cluster: string, task: string, line: string) => void;
  readonly log: (line: string) => void;
}

/** How often heartbeats are told while a cluster runs, and how soon a change of another process of this user is seen. */
const REFRESH_MS = 1000;

/**
 * All clusters that the user has formed, running or not, and those of other users that run on machines of the lab. What others do to
 * them is seen here too.
 */
export class ClusterManager {
  readonly #env: ClusterManagerEnv;
  readonly #clusters = new Map<string, ManagedCluster>();
  /** Those that are only seen on the machines: others have formed them. */
  readonly #found = new Set<string>();
  readonly #refresh: NodeJS.Timeout;
  readonly #unlisten: () => void;
  #telling: NodeJS.Immediate | undefined;
  #complaint = '';
  /** Changes here; what is being read when one is made is old. */
  #saves = 0;

  private constructor(env: ClusterManagerEnv) {
    this.#env = env;
    this.#refresh = setInterval(() => void this.#refreshAll(), REFRESH_MS);
    this.#unlisten = env.machines.listen({
      onMachines: () => undefined,
      onTasks: () => this.#updateSoon(),
      onLines: ({ setup: { cluster, job, index } }, lines) => {
        for (const { text } of lines) env.onLog(cluster, taskName(job, index), text);
      },
    });
  }

  /** Nothing is told before it resolves. */
  static async open(env: ClusterManagerEnv): Promise<ClusterManager> {
    const all = await env.store.clusters.read();
    const manager = new ClusterManager(env);
    for (const saved of all) manager.#put(saved);
    manager.#updateSoon();
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

  /** Of a running cluster: rejects as a start does when tasks must be started anew for it. */
  async save(draft: ClusterDraft): Promise<ClusterInfo> {
    checkDraft(draft);
    const saved: SavedCluster = { ...draft, id: draft.id ?? randomBytes(6).toString('hex') };
    const keep = () =>
      this.#keep((all) =>
        all.some(({ id }) => id === saved.id) ? all.map((each) => (each.id === saved.id ? saved : each)) : [...all, saved],
      );
    if (draft.id !== undefined) {
      await this.get(draft.id).change(saved, keep);
      this.#found.delete(saved.id);
    } else {
      await keep();
      this.#put(saved);
    }
    this.#env.onChange();
    return this.get(saved.id).info;
  }

  /**
   * Puts a task on another machine, together with its neighbours where theirs is not there; of a running cluster all tasks are started
   * anew. Rejects as `save` does, and before anything is changed with UNAVAILABLE when the other machine cannot be reached.
   */
  async move(id: string, task: string, to: string): Promise<ClusterInfo> {
    const { machines } = this.#env;
    const { saved } = this.get(id);
    const { error, machine } = machines.get(to);
    if (error) throw unavailable(`${machine?.hostName ?? 'The machine'} cannot be reached: ${error.message}`, { cause: error });
    return this.save(withTaskMoved(saved, task, to, (from) => machines.has(from) && machines.get(from).isOnline));
  }

  async remove(id: string): Promise<void> {
    const { saved, isStopped } = this.get(id);
    if (!isStopped) throw failedPrecondition(`Cluster '${saved.title}' is running; stop it first`);
    await this.#keep((all) => all.filter((each) => each.id !== id));
    this.#forget(id);
    this.#env.onChange();
  }

  async start(id: string): Promise<ClusterInfo> {
    const cluster = this.get(id);
    await cluster.start();
    return cluster.info;
  }

  /** What is running goes on as long as its agent does. */
  close(): void {
    clearInterval(this.#refresh);
    clearImmediate(this.#telling);
    this.#unlisten();
  }

  async #keep(change: (all: readonly SavedCluster[]) => readonly SavedCluster[]): Promise<void> {
    this.#saves++;
    try {
      await this.#env.store.clusters.update(change);
    } finally {
      this.#saves++;
    }
  }

  #put(saved: SavedCluster): void {
    const { store } = this.#env;
    const ports = async () => (await store.settings.read()).ports;
    this.#clusters.set(saved.id, new ManagedCluster(saved, { ...this.#env, ports }));
  }

  /** Many tasks tell something at the same time. */
  #updateSoon(): void {
    this.#telling ??= setImmediate(() => {
      this.#telling = undefined;
      this.#findOthers();
      for (const cluster of this.#clusters.values()) cluster.update();
      this.#env.onChange();
    });
  }

  /** Their tasks are seen one after the other, as machines answer. */
  #findOthers(): void {
    const isKnown = (id: string): boolean => (this.#clusters.has(id) && !this.#found.has(id)) || isTemporary(id);
    for (const saved of foundClusters(this.#env.machines.members, isKnown)) {
      this.#found.add(saved.id);
      this.#takeOver(saved);
    }
  }

  async #refreshAll(): Promise<void> {
    await this.#readStore();
    if ([...this.#clusters.values()].some(({ isStopped }) => !isStopped)) this.#env.onChange();
  }

  /** Takes over what another process of this user has saved or removed. */
  async #readStore(): Promise<void> {
    try {
      const before = this.#saves;
      const all = await this.#env.store.clusters.read();
      if (before !== this.#saves) return;
      let isNews = false;
      for (const saved of all) {
        this.#found.delete(saved.id);
        isNews = this.#takeOver(saved) || isNews;
      }
      for (const [id, { isStopped }] of this.#clusters) {
        if (isStopped && !all.some((each) => each.id === id)) isNews = this.#forget(id) || isNews;
      }
      this.#complaint = '';
      if (isNews) this.#env.onChange();
    } catch (error) {
      const { message } = toStatusError(error);
      if (message !== this.#complaint) this.#env.log(message);
      this.#complaint = message;
    }
  }

  #forget(id: string): boolean {
    this.#found.delete(id);
    return this.#clusters.delete(id);
  }

  /** Whether it was another one. */
  #takeOver(saved: SavedCluster): boolean {
    const known = this.#clusters.get(saved.id);
    // What is in the way of a change now is over by the next look.
    if (known && (known.isBusy || JSON.stringify(known.saved) === JSON.stringify(saved))) return false;
    if (known) known.replace(saved);
    else this.#put(saved);
    return true;
  }
}
