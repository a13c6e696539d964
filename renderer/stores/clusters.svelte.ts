import type { ClusterInfo, MachineInfo } from '#proto/ipc/contract.ts';
import type { Core } from '../api/core.ts';
import { Remote } from './remote.svelte.ts';

/** All clusters with their tasks, kept up to date by the core; and the machines they can stand on. */
export class ClustersStore extends Remote<readonly ClusterInfo[]> {
  readonly machines: Remote<readonly MachineInfo[]>;
  readonly running: readonly ClusterInfo[] = $derived(
    (this.value ?? []).filter(({ state }) => state === 'running' || state === 'degraded'),
  );

  constructor(core: Core) {
    super(() => core.call('clusters.list'));
    this.machines = new Remote(() => core.call('machines.list'));
    core.on('machines.changed', ({ machines }) => {
      this.machines.value = machines;
    });
    core.on('clusters.changed', ({ clusters }) => {
      this.value = clusters;
    });
  }
}
