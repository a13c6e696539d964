import type { Pins, RunPlan } from '#proto/ipc/contract.ts';
import type { StatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, ONLY_CLIENT, type Outcome, Session } from '../client/index.ts';
import type { FormCluster, FormedCluster } from '../cluster/formed-cluster.ts';
import { LocalCluster } from '../cluster/local-cluster.ts';
import { ClientProcess } from './client-process.ts';
import { checkFit } from './cluster-fit.ts';
import { wantedTasks } from './placement/expected-devices.ts';
import type { ClientEvent, ClientOf, ClientOrders, Description, ProgramSource } from './protocol.ts';
import { graphName } from './sent-graphs.ts';
import type { Steering } from './steering.ts';
import { waitText } from './wait-text.ts';

/** A graph that a client has sent, serialized; told again when it has grown. `name` is the client's, numbered from its second graph on. */
export interface GraphEvent {
  readonly kind: 'graph';
  readonly name: string;
  readonly graphDef: Uint8Array;
}

/** Something to show, and which client it comes from: `client`, or the name of a task. */
export type RunEvent = (
  | Exclude<ClientEvent, { kind: 'graph' | 'watched' }>
  | GraphEvent
  | { readonly kind: 'progress'; readonly text: string }
) & { readonly client: string };

export interface RunProgramOptions {
  /** The built host program. */
  readonly entry: string;
  readonly source: ProgramSource;
  /** The cluster to run on; without one, the cluster that the program wants is formed on this machine and ended afterwards. */
  readonly cluster?: ClusterInput;
  /** Clear what earlier runs left on `cluster`: its variables and queues, and all sessions of its first task. */
  readonly reset?: boolean;
  /** Forms that cluster; as children of this process by default. */
  readonly form?: FormCluster;
  /** What its tasks log. */
  readonly onTaskLine?: (task: string, line: string) => void;
  /** How it is run; what is for graphs only does nothing for other programs. */
  readonly plan?: RunPlan;
  /** Where nodes are to be, whatever the program says. */
  readonly pins?: Pins;
  /** Of a graph: the master to dial, `grpc://host:port`, instead of the task of the cluster that would be. */
  readonly target?: string;
  /** Limit for each call of a session but a step. */
  readonly operationTimeoutMs?: number;
  /** Of a graph: when a task is lost, wait until its variables are initialized again by `steering`, instead of failing. */
  readonly holdsOnLoss?: boolean;
  /** With which the run can be paused and so on. */
  readonly steering?: Steering;
  readonly onEvent?: (event: RunEvent) => void;
  /** Told once, before the clients start: what the program says of itself, and the cluster it runs on. */
  readonly onReady?: (program: Description, cluster: ClusterInput) => void;
  /** Aborting stops all clients within a second, and the cluster that was formed. */
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
  const { entry, source, steering } = options;
  const clients: ClientProcess[] = [];
  const events = eventSink(options);
  const open = (client: string): ClientProcess => {
    const process = new ClientProcess({ entry, source, onEvent: (event) => events.hear(event, client) });
    clients.push(process);
    return process;
  };
  const run = async (process: ClientProcess, client: ClientOf, cluster: ClusterInput): Promise<Outcome> => {
    steering?.attach(process);
    try {
      return await process.ask({ kind: 'run', client, cluster, orders: ordersOf(options) });
    } finally {
      steering?.detach(process);
    }
  };
  let cluster: FormedCluster | undefined;
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
    await checkOwnCluster(program, options);
    // They load the program while the tasks start.
    const early = new Map(options.cluster === undefined ? clientNames(program).map((name) => [name, open(name)]) : []);
    cluster = options.cluster === undefined ? await formWanted(program, options) : undefined;
    const jobs = options.cluster ?? cluster?.spec.toObject() ?? {};
    if (options.reset) await resetCluster(jobs, options);
    options.onReady?.(program, jobs);
    const outcomes =
      program.clients === 'one'
        ? new Map([[ONLY_CLIENT, await run(first, 'only', jobs)]])
        : await runPerTask(jobs, (name, client) => run(early.get(name) ?? open(name), client, jobs));
    events.close();
    return { program, outcomes, problems: await first.ask({ kind: 'check', outcomes }) };
  } catch (error) {
    throw options.signal?.aborted ? (options.signal.reason as StatusError) : error;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    await stop();
  }
}

/** More processes than these are not started before it is known that the cluster can be. */
const MAX_EARLY = 16;

/** Of the clients that run on the cluster which the program wants; none for a program with one client, or with very many. */
function clientNames({ clients, cluster }: Description): readonly string[] {
  const count = Object.values(cluster).reduce((sum, tasks) => sum + tasks, 0);
  return clients === 'one' || !(count <= MAX_EARLY) ? [] : wantedTasks(cluster);
}

/** The nodes of a graph can be pinned elsewhere than it says, so where they can go is left to its master. */
async function checkOwnCluster(program: Description, { source, cluster, operationTimeoutMs, signal, onEvent }: RunProgramOptions) {
  if (cluster === undefined || 'graph' in source) return;
  await checkFit(program, cluster, {
    onWait: (report) => onEvent?.({ kind: 'wait', text: waitText(report), client: ONLY_CLIENT }),
    ...(operationTimeoutMs !== undefined && { operationTimeoutMs }),
    ...(signal && { signal }),
  });
}

async function formWanted({ cluster: jobs, virtualGpus }: Description, options: RunProgramOptions): Promise<FormedCluster | undefined> {
  if (Object.keys(jobs).length === 0) return undefined;
  const { form = (wants) => LocalCluster.start(wants), onEvent, onTaskLine, signal } = options;
  return form({
    ...{ jobs, virtualGpus },
    onProgress: (text) => onEvent?.({ kind: 'progress', text, client: ONLY_CLIENT }),
    onLog: (task, line) => onTaskLine?.(task, line),
    ...(signal && { signal }),
  });
}

async function resetCluster(jobs: ClusterInput, { target, signal }: RunProgramOptions): Promise<void> {
  const [first] = new ClusterSpec(jobs).tasks;
  const master = target ?? (first && `grpc://${first.address}`);
  if (master !== undefined) await Session.reset(master, [], signal ? { signal } : {});
}

async function runPerTask(cluster: ClusterInput, run: (name: string, client: ClientOf) => Promise<Outcome>): Promise<Map<string, Outcome>> {
  const tasks = new ClusterSpec(cluster).tasks;
  const runs = tasks.map(async ({ name, job, index }): Promise<[string, Outcome]> => [name, await run(name, { job, index })]);
  return new Map(await Promise.all(runs));
}

function ordersOf({ plan = {}, pins = {}, target, operationTimeoutMs, holdsOnLoss = false }: RunProgramOptions): ClientOrders {
  return {
    ...{ plan, pins, holdsOnLoss },
    ...(target !== undefined && { target }),
    ...(operationTimeoutMs !== undefined && { operationTimeoutMs }),
  };
}

/** Passes on what clients tell. `close` tells what was to be watched and is nowhere. */
function eventSink({ onEvent = () => undefined }: RunProgramOptions) {
  const [found, missing] = [new Set<string>(), new Set<string>()];
  return {
    hear: (event: ClientEvent, client: string): void => {
      if (event.kind === 'graph') {
        onEvent({ kind: 'graph', name: graphName(client, event.number), graphDef: event.graphDef, client });
      } else if (event.kind === 'watched') {
        for (const name of event.found) found.add(name);
        for (const name of event.missing) missing.add(name);
      } else {
        onEvent({ ...event, client });
      }
    },
    close: (): void => {
      const nowhere = [...missing].filter((name) => !found.has(name));
      if (nowhere.length === 0) return;
      onEvent({ kind: 'notice', text: `Not watched, as no graph of the run has it: ${nowhere.join(', ')}`, client: ONLY_CLIENT });
    },
  };
}
