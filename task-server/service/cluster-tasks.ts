import type { ClusterDef } from '#proto/generated/tensorflow/cluster_pb.ts';
import { taskName } from '#proto/wire/device-name.ts';
import { internal, invalidArgument } from '#proto/wire/status.ts';

export interface ClusterTask {
  /** `/job:ps/replica:0/task:1` */
  readonly task: string;
  readonly job: string;
  readonly index: number;
  /** `host:port` */
  readonly address: string;
}

/** Every task of a cluster, sorted by job name and then by task index. Indices may have gaps. */
export type ClusterTasks = readonly ClusterTask[];

export function clusterTasks(cluster: ClusterDef): ClusterTasks {
  return [...cluster.job]
    .sort((a, b) => compareTexts(a.name, b.name))
    .flatMap(({ name, tasks }) =>
      Object.entries(tasks)
        .map(([index, address]) => ({ task: taskName(name, Number(index)), job: name, index: Number(index), address }))
        .sort((a, b) => a.index - b.index),
    );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const HOST_PORT = /^(\[[0-9A-Fa-f:.%]+\]|[^:/\s[\]]+):(\d+)$/;

/** `host:port`, with IPv6 hosts in brackets. INVALID_ARGUMENT with TensorFlow's words for anything else. */
export function parseHostPort(text: string): HostPort {
  const match = HOST_PORT.exec(text);
  if (!match?.[1] || !match[2]) throw invalidArgument(`Could not interpret "${text}" as a host-port pair.`);
  const port = Number(match[2]);
  if (port > 65535) throw invalidArgument(`Port ${match[2]} in "${text}" is out of range: ports go from 0 to 65535`);
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
}

export interface OwnTask extends HostPort {
  /** `/job:ps/replica:0/task:1` */
  readonly task: string;
}

/** The task that a process is to be. All addresses are checked, with TensorFlow's codes and words for what is wrong. */
export function findOwnTask(cluster: ClusterDef, job: string, index: number): OwnTask {
  const tasks = cluster.job.find(({ name }) => name === job)?.tasks;
  if (!tasks) throw internal(`Job "${job}" was not defined in cluster`);
  const own = tasks[index];
  if (own === undefined) throw internal(`Task ${index} was not defined in job "${job}"`);
  if (!/^[^:/]+:\d+$/.test(own) && /^[^:/]+(:[^:/]*)?$/.test(own)) {
    throw invalidArgument(`Could not parse port for local server from "${own}".`);
  }
  for (const { address } of clusterTasks(cluster)) parseHostPort(address);
  return { task: taskName(job, index), ...parseHostPort(own) };
}
