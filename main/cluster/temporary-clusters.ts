import { randomBytes } from 'node:crypto';
import type { TaskInfo, TaskPorts } from '#proto/ipc/contract.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { Machines } from '../machines/machines.ts';
import type { SavedCluster } from '../store/index.ts';
import type { ClusterWants, FormCluster, FormedCluster } from './formed-cluster.ts';
import { ManagedCluster } from './managed-cluster.ts';

export interface TemporaryClustersEnv {
  readonly machines: Machines;
  /** As the user wants them now. */
  readonly ports: () => Promise<TaskPorts>;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly log: (line: string) => void;
}

/** Says whose it is: an agent that goes on keeps the tasks of a core that was killed. */
const ID = /^run-(\d+)-[0-9a-f]+$/;

/** Whether a cluster, by its id, was formed for one run. */
export function isTemporary(cluster: string): boolean {
  return ID.test(cluster);
}

/**
 * Clusters of this machine that are kept nowhere: each is formed for one run, by way of the agent like all others, and ends with it.
 * What is left of those of a core that was killed is ended by any other core.
 */
export class TemporaryClusters {
  readonly #env: TemporaryClustersEnv;
  readonly #unlisten: () => void;
  /** Tasks of dead cores that are being ended, by id. */
  readonly #ending = new Set<string>();

  constructor(env: TemporaryClustersEnv) {
    this.#env = env;
    this.#unlisten = env.machines.listen({
      onMachines: () => undefined,
      onTasks: () => this.#endOrphans(),
      onLines: () => undefined,
    });
  }

  /** `title`: what people are told of them on the machine. */
  formFor(title: string): FormCluster {
    return (wants) => this.#form(title, wants);
  }

  close(): void {
    this.#unlisten();
  }

  async #form(title: string, wants: ClusterWants): Promise<FormedCluster> {
    const { machines, ports } = this.#env;
    const { signal, onLog } = wants;
    signal?.throwIfAborted();
    const saved = temporary(title, wants, machines.here);
    const tell = progressTo(wants);
    const cluster = new ManagedCluster(saved, {
      ...{ machines, ports },
      onChange: () => tell(cluster.info.jobs.flatMap(({ tasks }) => tasks)),
    });
    const unlisten = machines.listen({
      onMachines: () => undefined,
      onTasks: () => {
        cluster.update();
        tell(cluster.info.jobs.flatMap(({ tasks }) => tasks));
      },
      onLines: ({ setup: { cluster: of, job, index } }, lines) => {
        if (of === saved.id) for (const { text } of lines) onLog(taskName(job, index), text);
      },
    });
    const stop = async (): Promise<void> => {
      await cluster.stop();
      unlisten();
    };
    const abort = (): void => void stop();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await cluster.start();
      return { spec: cluster.spec, stop };
    } catch (error) {
      await stop();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #endOrphans(): void {
    const { machines, isProcessAlive, log } = this.#env;
    const here = machines.get(machines.here);
    if (!here.isOnline) return;
    for (const { id, setup } of here.tasks.values()) {
      const owner = Number(ID.exec(setup.cluster)?.[1] ?? process.pid);
      if (owner === process.pid || this.#ending.has(id) || isProcessAlive(owner)) continue;
      this.#ending.add(id);
      log(`Ending ${taskName(setup.job, setup.index)} of '${setup.clusterTitle}': the app that ran it is gone`);
      here.agent
        .stopTask(id)
        .catch((error: unknown) => log(`It could not be ended: ${toStatusError(error).message}`))
        .finally(() => this.#ending.delete(id));
    }
  }
}

function temporary(title: string, { jobs, virtualGpus }: ClusterWants, machine: string): SavedCluster {
  const task = { machine, engine: 'bundled', port: 0, virtualGpus } as const;
  return {
    id: `run-${process.pid}-${randomBytes(6).toString('hex')}`,
    title,
    jobs: Object.entries(jobs).map(([name, count]) => ({
      name,
      tasks: Array.from({ length: count }, (_, index) => ({ ...task, index })),
    })),
  };
}

/** Tells of each task that it listens, or why it does not yet; each once. */
function progressTo({ onProgress }: ClusterWants): (tasks: readonly TaskInfo[]) => void {
  const told = new Map<string, string>();
  return (tasks) => {
    for (const { name, state, reason, address } of tasks) {
      const text = state === 'running' ? `${name} listens at grpc://${address}` : `${name}: ${reason}`;
      if ((state !== 'running' && state !== 'waiting') || told.get(name) === text) continue;
      told.set(name, text);
      onProgress(text);
    }
  };
}
