import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { cancelled, type StatusError } from '#proto/wire/status.ts';
import type { DeviceFilters } from './device-filters.ts';
import type { MasterEnv } from './master-env.ts';

const LOG_PERIOD_MS = 10_000;

/** The tasks that the filters keep: the master's own first, the others in the order of the cluster. */
export function keptTasks({ task: own, workers }: MasterEnv, filters: DeviceFilters): string[] {
  return [own, ...workers.tasks.filter((task) => task !== own && filters.keepsTask(task))];
}

/**
 * The devices of all tasks that the filters keep, in the order of the tasks. Waits for each task, however long it takes to
 * come up, and logs every 10 s which are missing and why. Ends with the signal's error, or with the first answer that is
 * an error.
 */
export async function findDevices(env: MasterEnv, filters: DeviceFilters, signal?: AbortSignal): Promise<DeviceAttributes[]> {
  const missing = new Map<string, StatusError | undefined>(keptTasks(env, filters).map((task) => [task, undefined]));
  const giveUp = new AbortController();
  const stopLogging = every(env, LOG_PERIOD_MS, () => logMissing(env, missing));
  const stop = () => giveUp.abort(signal?.reason ?? cancelled('CreateSession was cancelled'));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    const found = await Promise.all([...missing.keys()].map((task) => devicesOf(env, task, missing, giveUp.signal)));
    return found.flat().filter((device) => filters.keepsDevice(device));
  } catch (error) {
    giveUp.abort(cancelled('Another task failed to answer GetStatus', { derived: true }));
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stopLogging();
  }
}

async function devicesOf(
  env: MasterEnv,
  task: string,
  missing: Map<string, StatusError | undefined>,
  signal: AbortSignal,
): Promise<readonly DeviceAttributes[]> {
  const answer = task === env.task ? env.devices : await remoteDevices(env, task, missing, signal);
  missing.delete(task);
  return answer;
}

async function remoteDevices(
  env: MasterEnv,
  task: string,
  missing: Map<string, StatusError | undefined>,
  signal: AbortSignal,
): Promise<DeviceAttributes[]> {
  const worker = env.workers.worker(task);
  if (!worker) return [];
  return worker.getStatus({ signal, waitForReady: true, onWait: (reason) => missing.set(task, reason) });
}

function logMissing({ log, workers }: MasterEnv, missing: ReadonlyMap<string, StatusError | undefined>): void {
  for (const [task, reason] of missing) {
    const why = [workers.address(task), reason?.message].filter((part) => part !== undefined).join(': ');
    log(`CreateSession still waiting for response from worker: ${task}${why === '' ? '' : ` (${why})`}`);
  }
}

function every({ after }: MasterEnv, ms: number, action: () => void): () => void {
  let stop = after(ms, tick);
  function tick(): void {
    action();
    stop = after(ms, tick);
  }
  return () => stop();
}
