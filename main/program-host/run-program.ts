import type { StatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, ONLY_CLIENT, type Outcome, Session } from '../client/index.ts';
import { LocalCluster, type LocalClusterOptions } from '../cluster/local-cluster.ts';
import { ClientProcess } from './client-process.ts';
import type { ClientEvent, ClientOf, Description, ProgramSource } from './protocol.ts';

/** Something to show, and which client it comes from: `client`, or the name of a task. */
export type RunEvent = (ClientEvent | { readonly kind: 'progress'; readonly text: string }) & { readonly client: string };

export interface RunProgramOptions {
  /** The built host program. */
  readonly entry: string;
  readonly source: ProgramSource;
  /** The cluster to run on; without one, the cluster that the program wants is formed on this machine and ended afterwards. */
  readonly cluster?: ClusterInput;
  /** Clear what earlier runs left on `cluster`: its variables and queues, and all sessions of its first task. */
  readonly reset?: boolean;
  /** How the tasks of that local cluster are started. */
  readonly local?: Omit<LocalClusterOptions, 'jobs' | 'onProgress' | 'signal'>;
  readonly onEvent?: (event: RunEvent) => void;
  /** Told once, before the clients start: what the program says of itself, and the cluster it runs on. */
  readonly onReady?: (program: Description, cluster: ClusterInput) => void;
  /** Aborting stops all clients within a second, and the local cluster. */
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly program: Description;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** What is wrong with the result, in words; empty when it is right. */
  readonly problems: readonly string[];
}

/**
 * Runs all clients of a program, each in a process of its own, and checks the result. Rejects with the StatusError of the
 * first client that fails; the others are stopped then. No process is left in any case.
 */
export async function runProgram(options: RunProgramOptions): Promise<RunResult> {
  const { entry, source, onEvent = () => undefined } = options;
  const clients: ClientProcess[] = [];
  const open = (client: string): ClientProcess => {
    const process = new ClientProcess({ entry, source, onEvent: (event) => onEvent({ ...event, client }) });
    clients.push(process);
    return process;
  };
  let cluster: LocalCluster | undefined;
  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.stop()));
    await cluster?.stop();
  };
  const onAbort = (): void => void stop();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const first = open(ONLY_CLIENT);
    const program = await first.ask({ kind: 'describe' });
    options.signal?.throwIfAborted();
    cluster = options.cluster === undefined ? await startLocal(program, options) : undefined;
    const jobs = options.cluster ?? cluster?.spec.toObject() ?? {};
    if (options.reset) await resetCluster(jobs, options.signal);
    options.onReady?.(program, jobs);
    const outcomes = program.clients === 'one' ? await runOne(first, jobs) : await runPerTask(open, jobs);
    return { program, outcomes, problems: await first.ask({ kind: 'check', outcomes }) };
  } catch (error) {
    throw options.signal?.aborted ? (options.signal.reason as StatusError) : error;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    await stop();
  }
}

async function startLocal({ cluster: jobs, virtualGpus }: Description, options: RunProgramOptions): Promise<LocalCluster | undefined> {
  if (Object.keys(jobs).length === 0) return undefined;
  const onProgress = (text: string): void => options.onEvent?.({ kind: 'progress', text, client: ONLY_CLIENT });
  return LocalCluster.start({ virtualGpus, ...options.local, jobs, onProgress, ...(options.signal && { signal: options.signal }) });
}

async function resetCluster(jobs: ClusterInput, signal: AbortSignal | undefined): Promise<void> {
  const [first] = new ClusterSpec(jobs).tasks;
  if (first) await Session.reset(`grpc://${first.address}`, [], signal ? { signal } : {});
}

async function runOne(process: ClientProcess, cluster: ClusterInput): Promise<Map<string, Outcome>> {
  return new Map([[ONLY_CLIENT, await process.ask({ kind: 'run', client: 'only', cluster })]]);
}

async function runPerTask(open: (client: string) => ClientProcess, cluster: ClusterInput): Promise<Map<string, Outcome>> {
  const tasks = new ClusterSpec(cluster).tasks;
  const runs = tasks.map(async ({ name, job, index }): Promise<[string, Outcome]> => {
    const client: ClientOf = { job, index };
    return [name, await open(name).ask({ kind: 'run', client, cluster })];
  });
  return new Map(await Promise.all(runs));
}
