import type { WorkerCache, WorkerInterface } from '../worker/worker-interface.ts';
import type { ClusterTasks } from './cluster-tasks.ts';
import { RemoteWorker } from './remote-worker.ts';
import type { TaskAddress } from './task-client.ts';
import type { Transport } from './transport.ts';

/** The workers of all other tasks of a cluster; each is dialled at its first call. Owned by the task's composition root. */
export class RemoteWorkers {
  readonly #workers = new Map<string, RemoteWorker>();

  constructor(cluster: ClusterTasks, ownTask: string, transportTo: (peer: TaskAddress) => Transport) {
    for (const { task, address } of cluster) {
      if (task !== ownTask) this.#workers.set(task, new RemoteWorker({ task, address }, transportTo({ task, address })));
    }
  }

  worker(task: string): WorkerInterface | undefined {
    return this.#workers.get(task);
  }

  dispose(): void {
    for (const worker of this.#workers.values()) worker.dispose();
  }
}

/** All workers of a cluster: the one of this process and the remote ones. */
export function createWorkerCache(cluster: ClusterTasks, local: WorkerInterface, remotes: RemoteWorkers): WorkerCache {
  const addresses = new Map(cluster.map(({ task, address }) => [task, address]));
  return {
    tasks: [...addresses.keys()],
    worker: (task) => (task === local.task ? local : remotes.worker(task)),
    address: (task) => addresses.get(task),
  };
}
