import type { ClusterDef } from '#proto/generated/tensorflow/cluster_pb.ts';
import type { CreateSessionRequest } from '#proto/generated/tensorflow/master_pb.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument, unimplemented } from '#proto/wire/status.ts';

/** Refuses what a session of this master cannot honour. `task`: the master's own. */
export function checkSessionConfig({ config, target }: CreateSessionRequest, task: string): void {
  if (config?.usePerSessionThreads || (config?.sessionInterOpThreadPool.length ?? 0) > 0) {
    throw invalidArgument('Distributed session does not support session thread pool options.');
  }
  if (config?.clusterDef && config.clusterDef.job.length > 0) refuseCluster(config.clusterDef, target, task);
}

/** A client may send a cluster of its own, in which this task would act under another name. */
function refuseCluster(cluster: ClusterDef, target: string, task: string): never {
  const address = target.replace(/^grpc[^:]*:\/\//, '');
  const own = parseDeviceName(task);
  const matches = cluster.job.flatMap(({ name, tasks }) =>
    Object.entries(tasks).flatMap(([index, at]) => (at === address ? [{ job: name, index: Number(index) }] : [])),
  );
  const [match] = matches;
  if (!match) {
    throw invalidArgument(`The master (current machine) is not included in the provided cluster_def. Its address is '${address}'.`);
  }
  if (matches.length > 1) {
    throw invalidArgument(`Found multiple matching tasks that correspond to to the master. Master target: '${target}'.`);
  }
  if (match.job === own?.job && match.index === own.task) {
    throw invalidArgument(
      'The ClusterSpec names the job and task index to be the same names that were provided when the server booted. ' +
        `This is currently not allowed. Job: ${match.job}, task index: ${match.index}`,
    );
  }
  throw unimplemented(
    `${task} does not serve sessions with a cluster of their own (ConfigProto.cluster_def). Start the tasks with that cluster instead.`,
  );
}
