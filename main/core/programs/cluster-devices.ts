import type { ClusterInfo, DeviceSummary, TaskInfo } from '#proto/ipc/contract.ts';
import { Code, deadlineExceeded, StatusError } from '#proto/wire/status.ts';
import { type DeviceInfo, Graph, Session } from '../../client/index.ts';
import { expectedDevices } from '../../program-host/placement/expected-devices.ts';

const LIMIT_MS = 5000;

/** The devices of a cluster: those that its running tasks tell of, and what its other tasks will have at least. */
export async function clusterDevices(cluster: ClusterInfo): Promise<readonly DeviceSummary[]> {
  const tasks = tasksOf(cluster);
  const running = tasks.filter(({ state, address }) => state === 'running' && address !== '');
  const others = tasks.filter((task) => !running.includes(task));
  const real = running.length > 0 ? await listDevices(running) : [];
  return [...real.map(summary), ...others.flatMap((task) => expectedDevices(task.name, task.virtualGpus))];
}

export function tasksOf({ jobs }: ClusterInfo): readonly TaskInfo[] {
  return jobs.flatMap(({ tasks }) => tasks);
}

/** Any task can be asked; one of our own engine also answers while others of them do not. */
async function listDevices(running: readonly TaskInfo[]): Promise<readonly DeviceInfo[]> {
  const asked = running.find(({ engine }) => engine === 'bundled') ?? running[0];
  const config = { deviceFilters: running.map(({ name }) => name) };
  const session = new Session(`grpc://${asked?.address}`, { graph: new Graph(), config, operationTimeoutMs: LIMIT_MS });
  try {
    return await session.listDevices({ signal: AbortSignal.timeout(LIMIT_MS) });
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== Code.CANCELLED && error.code !== Code.DEADLINE_EXCEEDED)) throw error;
    throw deadlineExceeded(`${asked?.name} did not list the devices of the cluster within ${LIMIT_MS / 1000} s`, { cause: error });
  } finally {
    await session.close({ timeoutMs: LIMIT_MS });
  }
}

function summary({ name, type, description }: DeviceInfo): DeviceSummary {
  return { name, type, description, isVirtual: description.startsWith('virtual') };
}
