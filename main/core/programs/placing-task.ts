import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { expectedDevices, wantedDevices } from '../../program-host/placement/expected-devices.ts';
import { clusterDevices, tasksOf } from './cluster-devices.ts';

/** Which task is asked for a placement, and for which cluster. */
export interface PlacingTask {
  /** Address of a task of the cluster that knows its devices itself; undefined: a private task is told the devices. */
  readonly address?: string;
  readonly devices?: readonly string[];
  /** The session's master. */
  readonly master?: string;
  /** As genuine TensorFlow places, when the master is such a task. */
  readonly rule?: 'local';
}

export interface WantedCluster {
  /** Tasks per job. */
  readonly cluster: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
}

/** `client`: whose graph it is; the client of a task usually has that task as its master. */
export async function placingTask(cluster: ClusterInfo, client: string): Promise<PlacingTask> {
  const tasks = tasksOf(cluster);
  const bundled = tasks.filter(({ engine, state, address }) => engine === 'bundled' && state === 'running' && address !== '');
  const known = tasks.find(({ name }) => name === taskOfClient(client));
  const master = known ?? bundled[0] ?? tasks[0];
  const asked = bundled.find((task) => task === master) ?? bundled[0];
  const ruled = { ...(master && { master: master.name }), ...(isGenuine(master) && { rule: 'local' as const }) };
  if (cluster.state === 'running' && asked) return { ...ruled, address: asked.address };
  return { ...ruled, devices: (await clusterDevices(cluster)).map(({ name }) => name) };
}

/** The same question to a private task, about the devices that the cluster should have. */
export function toExpected(cluster: ClusterInfo, { master, rule }: PlacingTask): PlacingTask {
  const devices = tasksOf(cluster).flatMap(({ name, virtualGpus }) => expectedDevices(name, virtualGpus).map((device) => device.name));
  return { devices, ...(master !== undefined && { master }), ...(rule && { rule }) };
}

/** For a cluster that is only wished for. */
export function wantedTask({ cluster, virtualGpus }: WantedCluster, client: string): PlacingTask {
  const devices = wantedDevices(cluster, virtualGpus).map(({ name }) => name);
  const task = taskOfClient(client);
  const master = devices.some((name) => name.startsWith(`${task}/`)) ? task : devices[0]?.replace(/\/device:.*$/, '');
  return { devices, ...(master !== undefined && { master }) };
}

/** `/job:worker/replica:0/task:1` of the second graph of its client, `/job:worker/replica:0/task:1 #2`. */
function taskOfClient(client: string): string {
  return client.replace(/ #\d+$/, '');
}

function isGenuine(task: TaskInfo | undefined): boolean {
  return task?.engine === 'tensorflow';
}
