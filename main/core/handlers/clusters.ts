import type { ClusterManager } from '../../cluster/cluster-manager.ts';
import { exportCluster } from '../../cluster/forms/export.ts';
import { parseCluster } from '../../cluster/forms/parse.ts';
import type { Gateways } from '../../cluster/gateway/gateways.ts';
import type { Machines } from '../../machines/machines.ts';
import type { AreaHandlers } from '../handler.ts';
import { clusterDevices } from '../programs/cluster-devices.ts';

export function clusterHandlers(clusters: ClusterManager, machines: Machines, gateways: Gateways): AreaHandlers<'clusters'> {
  const machineAt = (host: string): string => machines.idAt(host);
  return {
    'clusters.list': () => clusters.list(),
    'clusters.save': (draft) => clusters.save(draft),
    'clusters.move': ({ cluster, task, machine }) => clusters.move(cluster, task, machine),
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
    'clusters.disturbTask': async ({ cluster, task, how }) => {
      await clusters.get(cluster).disturbTask(task, how);
      return null;
    },
    'clusters.logs': ({ cluster, task, from }) => clusters.get(cluster).logs(task, from),
    'clusters.clearVariables': async ({ cluster }) => {
      await clusters.get(cluster).clearVariables();
      return null;
    },
    'clusters.devices': ({ cluster }) => clusterDevices(clusters.get(cluster).info),
    'clusters.setGateway': async ({ cluster, open }) => {
      const managed = clusters.get(cluster);
      await (open ? gateways.open(managed.info) : gateways.close(cluster));
      return managed.info;
    },
    'clusters.open': async ({ cluster, network, seconds }) => {
      const managed = clusters.get(cluster);
      await managed.openTo({ network, seconds });
      return managed.info;
    },
    'clusters.close': async ({ cluster }) => {
      const managed = clusters.get(cluster);
      await managed.closeOpenings();
      return managed.info;
    },
    'clusters.export': ({ cluster }) => {
      const { info } = clusters.get(cluster);
      const members = info.jobs.flatMap(({ tasks }) => tasks.map(({ machine }) => machine));
      return exportCluster(info, (id) => machines.hostOf(id, members));
    },
    'clusters.parse': ({ text }) => ({ jobs: parseCluster(text, machineAt) }),
  };
}
