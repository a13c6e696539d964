import type { ClusterInfo, RunInfo, TaskInfo, TaskRestart } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import type { ClustersStore } from './clusters.svelte.ts';
import { clusterOf } from './run-clusters.ts';
import { isActive } from './run-state.ts';
import type { RunsStore } from './runs.svelte.ts';

interface RestartsEnv {
  readonly core: Core;
  readonly runs: RunsStore;
  readonly clusters: ClustersStore;
}

/** What becomes of the tasks of one run while somebody looks at it. */
export class RunRestarts {
  #reinitializedAt = $state.raw(0);
  readonly #run: RunInfo | undefined = $derived.by(() => this.#env.runs.find(this.#id));
  /** In the order in which they happened. */
  readonly all: readonly TaskRestart[] = $derived(this.#run?.restarts ?? []);
  readonly cluster: ClusterInfo | undefined = $derived.by(() => this.#run && clusterOf(this.#run, this.#env.clusters.value ?? []));
  /** Tasks whose variables are lost, as long as nobody has initialized them again. */
  readonly emptied: readonly string[] = $derived([
    ...new Set(this.all.filter(({ at }) => at > this.#reinitializedAt).map(({ task }) => task)),
  ]);
  /** Tasks that the run waits for, or that it may have failed for. */
  readonly lost: readonly TaskInfo[] = $derived.by(() => {
    if (!this.#run || !(isActive(this.#run) || this.#run.state === 'failed')) return [];
    return (this.cluster?.jobs ?? []).flatMap(({ tasks }) => tasks).filter(({ state }) => state === 'lost' || state === 'waiting');
  });
  readonly #env: RestartsEnv;
  readonly #id: string;

  constructor(env: RestartsEnv, run: string) {
    this.#env = env;
    this.#id = run;
  }

  async reinitialize(): Promise<void> {
    const newest = this.all.at(-1)?.at ?? 0;
    await this.#env.runs.reinitialize(this.#id);
    this.#reinitializedAt = newest;
  }

  async restart(task: string): Promise<void> {
    if (this.cluster) await this.#env.core.call('clusters.restartTask', { cluster: this.cluster.id, task });
  }
}
