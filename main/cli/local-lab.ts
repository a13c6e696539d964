import { mayDiscover } from '#proto/discovery/may-discover.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { ClusterManager } from '../cluster/cluster-manager.ts';
import type { ManagedCluster } from '../cluster/managed-cluster.ts';
import { Machines } from '../machines/machines.ts';
import { bundlePath } from '../program-host/bundles.ts';
import { ownDataFolder } from '../store/data-folder.ts';
import { openStore } from '../store/index.ts';
import { ownAuthority } from './own-lab.ts';
import type { Terminal } from './terminal.ts';

/** The user's machines and clusters, as an open app has them too. Who opens it closes it. */
export interface LocalLab {
  readonly machines: Machines;
  readonly clusters: ClusterManager;
  close(): Promise<void>;
}

export interface LabListener {
  readonly onChange?: () => void;
  readonly onLog?: (cluster: string, task: string, line: string) => void;
}

/** Resolves when what the agents run is known. */
export async function openLab(terminal: Terminal, { onChange = () => {}, onLog = () => {} }: LabListener = {}): Promise<LocalLab> {
  const log = (line: string): void => terminal.log(line);
  const folder = ownDataFolder();
  const store = openStore(folder, log);
  const program = bundlePath('task-server/agent.js');
  // What keeps a machine from being reached is said by whatever needs it.
  const machines = await Machines.open({
    ...{ dataFolder: folder, program, lab: ownAuthority(log), log: () => undefined },
    id: await store.machineId(),
    version: packageJson.version,
    memory: store.machines,
    isDiscovering: mayDiscover(process.env),
  });
  await machines.list();
  const clusters = await ClusterManager.open({ store, machines, onChange, onLog, log });
  return {
    machines,
    clusters,
    close: async () => {
      clusters.close();
      await machines.close();
    },
  };
}

/** Resolves as the work does, when nothing of the lab is held any more. */
export async function withLab(terminal: Terminal, work: (lab: LocalLab) => Promise<void>): Promise<void> {
  const lab = await openLab(terminal);
  try {
    await work(lab);
  } finally {
    await lab.close();
  }
}

/** By its id, or by its title where only one has it. */
export function findCluster({ clusters }: LocalLab, name: string): ManagedCluster {
  const all = clusters.list();
  const found = all.filter(({ id }) => id === name);
  const titled = found.length > 0 ? found : all.filter(({ title }) => title === name);
  const [only] = titled;
  if (only && titled.length === 1) return clusters.get(only.id);
  if (only) throw invalidArgument(`${titled.length} clusters are called '${name}'; use an id: ${titled.map(({ id }) => id).join(', ')}`);
  const known = all.map(({ id, title }) => `${id} (${title})`).join(', ') || 'there is none yet; lanflow cluster import makes one';
  throw notFound(`There is no cluster '${name}'; clusters: ${known}`);
}

/** `worker:1`, `/job:worker/task:1` or the whole name. */
export function taskNameOf(text: string): string {
  const [, job, task] = /^(?:\/job:)?([A-Za-z]\w*)(?:\/replica:0)?(?:\/task)?:(\d+)$/.exec(text) ?? [];
  if (job === undefined) throw invalidArgument(`'${text}' is no task: write JOB:INDEX, such as worker:1`);
  return taskName(job, Number(task));
}
