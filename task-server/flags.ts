import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { type ClusterDef, ClusterDefSchema } from '#proto/generated/tensorflow/cluster_pb.ts';
import { completeFiles, type TlsFiles } from '#proto/trust/tls-files.ts';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';

export const USAGE = 'usage: lanflow task --cluster JSON|@FILE --job NAME --task N; --help shows all flags';

export const HELP = `Usage: lanflow task --cluster JSON|@FILE --job NAME --task N [flags]

Starts one task server in the foreground and prints "ready grpc://HOST:PORT /job:NAME/replica:0/task:N" when it listens.
What is not given is taken from the environment variable TF_CONFIG. SIGTERM or Ctrl-C ends it.

  --cluster JSON|@FILE       all tasks: {"ps": ["host:port"], "worker": {"3": "host:port"}}; port 0 in the own address
                             takes any free one
  --job NAME, --task N       which task of the cluster this is
  --engine ENGINE            bundled (default), or tensorflow: a genuine TensorFlow server
  --libtensorflow PATH       for --engine tensorflow: the library, where it is not found by itself
  --placement RULE           where nodes without a device go: first-task (default), the first device of the cluster as
                             TensorFlow 1.x does, or local, the master's own as 2.x does
  --virtual-devices GPU=N    pretend N graphics cards, each a thread with its own kernels
  --listen ADDR              the address to listen on; all by default
  --allow CIDR[=SECONDS]     answer plaintext from this network too, for a time only if one is given (may be repeated); by
                             default only this machine may
  --openings FILE            be opened and closed while the task runs, by what stands in this file: a network, for how many
                             seconds and until when, {"network": CIDR, "seconds": N, "end": milliseconds since 1970};
                             "endUptime": the end in seconds since the start of the machine, which no clock puts off
  --tls-cert FILE, --tls-key FILE, --tls-ca FILE
                             speak TLS with whoever holds a certificate of the lab whose authority --tls-ca is; by default
                             LANFLOW_TLS_CERT, LANFLOW_TLS_KEY and LANFLOW_TLS_CA say which
  --tls-crl FILE             certificates that are revoked, as the lab's authority has signed it; read again when it changes
  --plaintext HOST[:PORT]    with TLS: dial this address in plain text all the same, for a genuine TensorFlow server (may be
                             repeated)
  --parent-pipe              end when standard input ends
`;

const engines = ['bundled', 'tensorflow'] as const;
const placements = ['first-task', 'local'] as const;

/** What one task is started with. Whether the cluster has the task is not checked here. */
export interface TaskOptions {
  readonly cluster: ClusterDef;
  readonly job: string;
  readonly task: number;
  readonly engine: (typeof engines)[number];
  /** Where `--engine tensorflow` finds libtensorflow. */
  readonly libtensorflow?: string | undefined;
  readonly placement: (typeof placements)[number];
  /** Number of GPU devices to pretend. */
  readonly virtualGpus: number;
  readonly listen?: string | undefined;
  /** `CIDR` or `CIDR=SECONDS`. */
  readonly allow: readonly string[];
  /** Opens it while it runs; see `RequestedOpening`. */
  readonly openings?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Addresses that are dialled in plain text although there is TLS. */
  readonly plaintext: readonly string[];
  /** End when standard input does: whoever started the task holds the other end, and may be killed. */
  readonly parentPipe: boolean;
}

/** A command line that cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Reads the flags of a task; what they leave open comes from TF_CONFIG, TensorFlow's variable for the same purpose. Throws
 * UsageError for a wrong command line and StatusError for a wrong cluster definition.
 */
export function parseFlags(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): TaskOptions {
  const flags = parseCommandLine(args);
  const config = parseTfConfig(variables['TF_CONFIG']);
  const cluster = flags.cluster === undefined ? config.cluster : parseJson(clusterText(flags.cluster), '--cluster');
  const job = flags.job ?? config.task?.type;
  const task = flags.task ?? config.task?.index;
  if (cluster === undefined) throw new UsageError('--cluster is missing');
  if (job === undefined) throw new UsageError('--job is missing');
  if (task === undefined) throw new UsageError('--task is missing');
  const engine = choice(flags.engine ?? 'bundled', engines, '--engine');
  const tls = tlsFiles(flags);
  if (flags.openings !== undefined && engine === 'tensorflow')
    throw new UsageError('--openings: a genuine TensorFlow server is open to everybody');
  if (tls && engine === 'tensorflow') throw new UsageError('--tls-cert: a genuine TensorFlow server speaks plain text only');
  return {
    cluster: parseCluster(cluster),
    job: String(job),
    task: wholeNumber(String(task), '--task'),
    engine,
    libtensorflow: flags.libtensorflow,
    placement: choice(flags.placement ?? 'first-task', placements, '--placement'),
    virtualGpus: parseVirtualDevices(flags['virtual-devices']),
    listen: flags.listen,
    allow: flags.allow ?? [],
    openings: flags.openings,
    tls,
    plaintext: flags.plaintext ?? [],
    parentPipe: flags['parent-pipe'] ?? false,
  };
}

function tlsFiles(flags: ReturnType<typeof parseCommandLine>): TlsFiles | undefined {
  const given = { cert: flags['tls-cert'], key: flags['tls-key'], ca: flags['tls-ca'], crl: flags['tls-crl'] };
  try {
    return completeFiles(given, (field) => `--tls-${field}`);
  } catch (error) {
    throw new UsageError(toStatusError(error).message, { cause: error });
  }
}

function parseCommandLine(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        cluster: text,
        job: text,
        task: text,
        engine: text,
        libtensorflow: text,
        placement: text,
        'virtual-devices': text,
        listen: text,
        allow: { type: 'string', multiple: true },
        openings: text,
        'tls-cert': text,
        'tls-key': text,
        'tls-ca': text,
        'tls-crl': text,
        plaintext: { type: 'string', multiple: true },
        'parent-pipe': { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error), { cause: error });
  }
}

interface TfConfig {
  readonly cluster?: unknown;
  readonly task?: { readonly type?: unknown; readonly index?: unknown };
}

function parseTfConfig(text: string | undefined): TfConfig {
  if (text === undefined || text === '') return {};
  const config = parseJson(text, 'TF_CONFIG');
  if (config === null || typeof config !== 'object') throw invalidArgument('TF_CONFIG must be an object with "cluster" and "task"');
  return config;
}

function clusterText(flag: string): string {
  if (!flag.startsWith('@')) return flag;
  try {
    return readFileSync(flag.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`--cluster: cannot read ${flag.slice(1)}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where} is no JSON: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** `{"ps": ["host:port"], "worker": {"3": "host:port"}}`: tasks as a list, or by index where there are gaps. */
export function parseCluster(json: unknown): ClusterDef {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw invalidArgument('The cluster must be an object: job name → list of "host:port", or task index → "host:port"');
  }
  const job = Object.entries(json).map(([name, addresses]) => ({ name, tasks: parseTasks(name, addresses) }));
  return create(ClusterDefSchema, { job });
}

function parseTasks(job: string, addresses: unknown): Record<number, string> {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(job)) throw invalidArgument(`"${job}" is no job name: letters, digits and _, a letter first`);
  if (addresses === null || typeof addresses !== 'object') throw invalidArgument(`The tasks of job "${job}" must be a list or an object`);
  const tasks: Record<number, string> = {};
  for (const [index, address] of Object.entries(addresses)) {
    if (!/^\d+$/.test(index)) throw invalidArgument(`Task index "${index}" of job "${job}" is no whole number`);
    if (typeof address !== 'string') throw invalidArgument(`The address of task ${index} of job "${job}" must be a text, "host:port"`);
    tasks[Number(index)] = address;
  }
  return tasks;
}

function parseVirtualDevices(text: string | undefined): number {
  if (text === undefined) return 0;
  const match = /^GPU=(\d+)$/.exec(text);
  if (!match) throw new UsageError(`--virtual-devices: "${text}" is not of the form GPU=2`);
  return Number(match[1]);
}

function wholeNumber(text: string, flag: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${flag}: "${text}" is no whole number`);
  return Number(text);
}

function choice<T extends string>(text: string, allowed: readonly T[], flag: string): T {
  const found = allowed.find((each) => each === text);
  if (found === undefined) throw new UsageError(`${flag}: "${text}" is none of ${allowed.join(', ')}`);
  return found;
}
