import type { JobDraft, TaskDraft } from '#proto/ipc/contract.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec } from '../../client/index.ts';
import { type Literal, parseLiteral } from './literal.ts';

/** Which machine a host name means: its id, or the name itself when it is none that is known. */
export type MachineOf = (host: string) => string;

/**
 * Jobs of a cluster from any text that names one: a ClusterSpec or dict in Python, JSON, TF_CONFIG, or a hostfile (one
 * `host:port` a line, `# /job:NAME/task:N` after it; without that all are tasks of job `worker`). Throws INVALID_ARGUMENT,
 * saying what is wrong and where.
 */
export function parseCluster(text: string, machineOf: MachineOf): readonly JobDraft[] {
  const brace = text.indexOf('{');
  const jobs = brace === -1 ? parseHostfile(text) : jobsOf(parseLiteral(text, brace));
  if (Object.keys(jobs).length === 0) throw invalidArgument('The text names no task of any job');
  const { tasks } = new ClusterSpec(jobs as ClusterInput);
  // In the order of the text, which a ClusterSpec does not keep.
  return Object.keys(jobs).map((name) => ({
    name,
    tasks: tasks.filter(({ job }) => job === name).map(({ index, address }) => taskDraft(index, address, machineOf)),
  }));
}

function taskDraft(index: number, address: string, machineOf: MachineOf): TaskDraft {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { index, machine: machineOf(host), engine: 'bundled', port: Number(address.slice(colon + 1)), virtualGpus: 0 };
}

type Jobs = Record<string, Literal>;

/** TF_CONFIG has the jobs one level further in. */
function jobsOf(value: Literal): Jobs {
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidArgument('The text holds no dict of jobs');
  const dict = value as Jobs;
  const inner = dict['cluster'];
  const jobs = typeof inner === 'object' && !Array.isArray(inner) ? (inner as Jobs) : dict;
  for (const [job, tasks] of Object.entries(jobs)) {
    const addresses = typeof tasks === 'object' ? Object.values(tasks) : [];
    if (addresses.length > 0 && addresses.every((address) => typeof address === 'string')) continue;
    throw invalidArgument(`Job '${job}' must have a list of 'host:port', or a dict of them by task index`);
  }
  return jobs;
}

const HOST_LINE = /^(\S+?)\s*(?:#\s*\/job:(\w+)(?:\/replica:0)?\/task:(\d+)\s*)?(?:#.*)?$/;

function parseHostfile(text: string): Jobs {
  const jobs: Record<string, Record<string, string>> = {};
  for (const [i, line] of text.split('\n').entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, address = '', job = 'worker', task] = HOST_LINE.exec(line.trim()) ?? [];
    const tasks = jobs[job] ?? {};
    jobs[job] = tasks;
    tasks[task ?? Object.keys(tasks).length] = checkedAddress(address, i + 1);
  }
  return jobs;
}

function checkedAddress(address: string, line: number): string {
  try {
    new ClusterSpec({ worker: [address] });
    return address;
  } catch (error) {
    throw invalidArgument(`Line ${line} is no 'host:port', and the text has no dict of jobs`, { cause: toStatusError(error) });
  }
}
