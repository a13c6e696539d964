import { speaksPlain } from '#proto/trust/dialler.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** What a task is started with. */
export interface Setup {
  /** Id and title of the cluster that it belongs to. */
  readonly cluster: string;
  readonly clusterTitle: string;
  readonly job: string;
  readonly index: number;
  /** All tasks of the cluster, as JSON. */
  readonly spec: string;
  readonly engine: string;
  readonly placement: string;
  readonly virtualGpus: number;
  /** Of the formation of the cluster. */
  readonly startId: string;
  /** It is started again when it ends by itself. */
  readonly restart: boolean;
  /** `CIDR`, or `CIDR=SECONDS`: who may speak to it in plain text. */
  readonly allow: string[];
  /** `host:port` of the tasks of its cluster that know no TLS. */
  readonly plaintext: string[];
}

/** Names a task among all that an agent has. */
export function taskId({ cluster, job, index }: Pick<Setup, 'cluster' | 'job' | 'index'>): string {
  return `${cluster}/job:${job}/task:${index}`;
}

/** How people call it. */
export function nameOf({ job, index }: Pick<Setup, 'job' | 'index'>): string {
  return `/job:${job}/task:${index}`;
}

/** What stays the same while the task is only started again: its cluster formed anew, or another engine, is another life. */
export function lifeOf({ startId, engine }: Pick<Setup, 'startId' | 'engine'>): string {
  return `${startId} ${engine}`;
}

/** `host:port` of the task in its own cluster. INVALID_ARGUMENT when the cluster lacks it. */
export function addressOf({ spec, job, index }: Pick<Setup, 'spec' | 'job' | 'index'>): string {
  const address = parse(spec)[job]?.[index];
  if (typeof address === 'string' && /:\d+$/.test(address)) return address;
  throw invalidArgument(`The cluster has no address for task ${index} of job '${job}'`);
}

/** Files of the machine that a task reads again and again. */
export interface TaskFiles {
  /** What the machine shows to its lab, if it belongs to one. */
  readonly tls?: TlsFiles | undefined;
  /** By which the task is opened while it runs; genuine TensorFlow cannot be. */
  readonly openings: string;
}

/** The command line of its process. */
export function flagsOf(setup: Setup, { tls, openings }: TaskFiles): readonly string[] {
  const { spec, job, index, engine, placement, virtualGpus, allow } = setup;
  const flags = ['--cluster', spec, '--job', job, '--task', String(index), '--engine', engine || 'bundled'];
  if (placement) flags.push('--placement', placement);
  if (virtualGpus > 0) flags.push('--virtual-devices', `GPU=${virtualGpus}`);
  if (engine !== 'tensorflow') flags.push('--openings', openings);
  // With `=`, because a text may begin like a flag.
  flags.push(...allow.map((each) => `--allow=${each}`), ...lanFlags(setup, tls));
  return flags;
}

/** A cluster that is all on this machine needs no TLS, and genuine TensorFlow servers know none. */
function lanFlags({ spec, engine, plaintext }: Setup, tls: TlsFiles | undefined): readonly string[] {
  const hosts = Object.values(parse(spec)).flatMap((tasks) => Object.values(tasks ?? {}).map(String));
  if (!tls || engine === 'tensorflow' || hosts.every((host) => speaksPlain(host, new Set()))) return [];
  const { cert, key, ca, crl } = tls;
  const files = ['--tls-cert', cert, '--tls-key', key, '--tls-ca', ca, ...(crl === undefined ? [] : ['--tls-crl', crl])];
  return [...files, ...plaintext.map((each) => `--plaintext=${each}`)];
}

function parse(spec: string): Record<string, Record<number, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(spec);
    // Whatever stands there is looked at where it is used.
    if (typeof value === 'object' && value !== null) return value as Record<string, Record<number, unknown>>;
  } catch (error) {
    throw invalidArgument(`The cluster is no JSON: ${String(error)}`, { cause: error });
  }
  throw invalidArgument('The cluster is no object of jobs');
}
