import { taskName } from '#proto/wire/device-name.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, Graph, Session, type SessionOptions } from '../client/index.ts';
import { wantedTasks } from './placement/expected-devices.ts';
import { missingDevice } from './placement/missing-device.ts';
import type { Description } from './protocol.ts';

/** What a program wants of its cluster. */
export type Wants = Pick<Description, 'name' | 'cluster' | 'virtualGpus'>;

export interface FitOptions extends Pick<SessionOptions, 'onWait' | 'operationTimeoutMs'> {
  readonly signal?: AbortSignal;
}

/** Rejects with INVALID_ARGUMENT when a program cannot run on a cluster. One that is larger than it wants will do. */
export async function checkFit(program: Wants, cluster: ClusterInput, options: FitOptions = {}): Promise<void> {
  const spec = new ClusterSpec(cluster);
  checkTasks(program, spec);
  if (program.virtualGpus > 0) await checkCards(program, spec, options);
}

function checkTasks(program: Wants, { tasks }: ClusterSpec): void {
  const present = { available: tasks.map(({ name }) => name), leftOut: [] };
  for (const [job, count] of Object.entries(program.cluster)) {
    for (let index = 0; index < count; index++) {
      const reason = missingDevice(taskName(job, index), present);
      if (reason !== undefined) throw misfit(program, reason);
    }
  }
}

/** Real cards serve as well as pretended ones, and not every task may need as many: one that has them is enough for a try. */
async function checkCards(program: Wants, cluster: ClusterSpec, { signal, ...options }: FitOptions): Promise<void> {
  const wanted = wantedTasks(program.cluster);
  const asked = cluster.tasks.find(({ name }) => name === wanted[0]);
  if (!asked) return;
  const config = { deviceFilters: [...wanted] };
  const session = new Session(`grpc://${asked.address}`, { graph: new Graph(), cluster, config, ...options });
  try {
    const devices = await session.listDevices(signal ? { signal } : {});
    const present = { available: devices.map(({ name }) => name), leftOut: [] };
    const reasons = wanted.map((task) => missingDevice(`${task}/device:GPU:${program.virtualGpus - 1}`, present));
    const [first] = reasons;
    if (first !== undefined && !reasons.includes(undefined)) throw misfit(program, first);
  } finally {
    await session.close();
  }
}

function misfit({ name, cluster, virtualGpus }: Wants, reason: string): StatusError {
  const jobs = Object.entries(cluster).map(([job, count]) => `${job}×${count}`);
  const wanted = virtualGpus > 0 ? `${jobs.join(' ')} with ${virtualGpus} GPUs each` : jobs.join(' ');
  return invalidArgument(`'${name}' wants ${wanted}, ${reason}. Choose another cluster, or none, and one is formed for the run`);
}
