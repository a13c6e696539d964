import { unimplemented } from '#proto/wire/status.ts';
import type { ClusterManager } from '../../cluster/cluster-manager.ts';
import { exportCluster } from '../../cluster/forms/export.ts';
import { parseCluster } from '../../cluster/forms/parse.ts';
import type { AreaHandlers } from '../handler.ts';
import type { ThisMachine } from '../this-machine.ts';

export function clusterHandlers(clusters: ClusterManager, machine: ThisMachine): AreaHandlers<'clusters'> {
  const hostOf = (id: string): string => (id === machine.id ? '127.0.0.1' : id);
  const machineOf = (host: string): string => (machine.isHost(host) ? machine.id : host);
  return {
    'clusters.list': () => clusters.list(),
    'clusters.save': (draft) => clusters.save(draft),
    'clusters.remove': async ({ cluster }) => {
      await clusters.remove(cluster);
      return null;
    },
    'clusters.start': ({ cluster }) => clusters.start(cluster),
    'clusters.stop': async ({ cluster }) => {
      const managed = clusters.get(cluster);
      await managed.stop();
      return managed.info;
    },
    'clusters.restartTask': async ({ cluster, task }) => {
      await clusters.get(cluster).restartTask(task);
      return null;
    },
    'clusters.disturbTask': ({ cluster, task, how }) => {
      clusters.get(cluster).disturbTask(task, how);
      return null;
    },
    'clusters.clearVariables': async ({ cluster }) => {
      await clusters.get(cluster).clearVariables();
      return null;
    },
    'clusters.devices': () => {
      throw unimplemented('clusters.devices is not there yet');
    },
    'clusters.export': ({ cluster }) => exportCluster(clusters.get(cluster).info, hostOf),
    'clusters.parse': ({ text }) => ({ jobs: parseCluster(text, machineOf) }),
  };
}
