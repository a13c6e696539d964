import type { ClusterInfo } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import { Remote } from './remote.svelte.ts';

/** All clusters with their tasks, kept up to date by the core. */
export class ClustersStore extends Remote<readonly ClusterInfo[]> {
  readonly running: readonly ClusterInfo[] = $derived(
    (this.value ?? []).filter(({ state }) => state === 'running' || state === 'degraded'),
  );

  constructor(core: Core) {
    super(() => core.call('clusters.list'));
    core.on('clusters.changed', ({ clusters }) => {
      this.value = clusters;
    });
  }
}
