import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { deadlineExceeded, StatusError, toStatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, decodeGraphDef, ONLY_CLIENT, type PlacementConfig } from '../client/index.ts';
import { ClientProcess } from './client-process.ts';
import type { ClientEvent, ClientOf, Description, ProgramSource } from './protocol.ts';
import { graphName } from './sent-graphs.ts';

export interface RehearseOptions {
  /** The built host program. */
  readonly entry: string;
  readonly source: ProgramSource;
  /** The cluster that its clients are told of; without tasks, one such as the program wants. Nobody dials it. */
  readonly cluster: ClusterInput;
  readonly signal?: AbortSignal;
  /** 10 s by default. */
  readonly timeoutMs?: number;
}

export interface RehearsedGraph {
  /** A client's name, with a number from its second graph on: `client #2`. */
  readonly client: string;
  readonly graphDef: GraphDef;
  /** As its session has it. */
  readonly config: PlacementConfig;
}

export interface Rehearsed {
  readonly program: Description;
  /** In the order of the clients. */
  readonly graphs: readonly RehearsedGraph[];
  /** What could not be found out, in words. */
  readonly notes: readonly string[];
}

type GraphEvent = Extract<ClientEvent, { kind: 'graph' }>;

/** A process in which one client rehearses. */
interface Stage {
  readonly process: ClientProcess;
  /** What it has told, by number. */
  readonly graphs: ReadonlyMap<number, GraphEvent>;
}

/**
 * Finds out which graphs a program builds: its clients run, each in a process of its own, with sessions that keep the graph and make
 * up the values. No task is started or dialled, and no time passes in `sleep`. Rejects with the StatusError of a program that
 * fails before it has built any graph. No process is left in any case.
 */
export async function rehearse(options: RehearseOptions): Promise<Rehearsed> {
  const { signal, timeoutMs = 10_000 } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const within = <T>(work: Promise<T>): Promise<T> => untilAborted(work, limit, signal, `not done after ${timeoutMs / 1000} s`);
  const stages: Stage[] = [];
  const open = (): Stage => {
    const stage = openStage(options);
    stages.push(stage);
    return stage;
  };
  try {
    const first = open();
    const program = await within(first.process.ask({ kind: 'describe' }));
    const cluster = Object.keys(options.cluster).length > 0 ? options.cluster : addressesFor(program.cluster);
    const performances = clientsOf(program, cluster).map(async ({ name, client }, i) => {
      const { process, graphs } = i === 0 ? first : open();
      const notes = await within(process.ask({ kind: 'rehearse', client, cluster })).catch((error: unknown) => toStatusError(error));
      return { name, graphs, notes };
    });
    return joined(program, await Promise.all(performances), signal);
  } finally {
    await Promise.all(stages.map(({ process }) => process.stop()));
  }
}

function openStage({ entry, source }: RehearseOptions): Stage {
  const graphs = new Map<number, GraphEvent>();
  const process = new ClientProcess({
    entry,
    source,
    onEvent: (event) => {
      if (event.kind === 'graph') graphs.set(event.number, event);
    },
  });
  return { process, graphs };
}

interface Performance extends Pick<Stage, 'graphs'> {
  readonly name: string;
  readonly notes: readonly string[] | StatusError;
}

function joined(program: Description, performances: readonly Performance[], signal: AbortSignal | undefined): Rehearsed {
  signal?.throwIfAborted();
  const graphs = performances.flatMap(({ name, graphs }) =>
    [...graphs.values()].map(({ number, graphDef, config = {} }) => ({
      client: graphName(name, number),
      graphDef: decodeGraphDef(graphDef),
      config,
    })),
  );
  const failure = performances.map(({ notes }) => notes).find((notes) => notes instanceof StatusError);
  if (failure && graphs.length === 0) throw failure;
  const notes = performances.flatMap(({ name, notes }) =>
    (notes instanceof StatusError ? [notes.message] : notes).map((note) => `${name}: ${note}`),
  );
  return { program, graphs, notes };
}

function clientsOf({ clients }: Description, cluster: ClusterInput): readonly { readonly name: string; readonly client: ClientOf }[] {
  if (clients === 'one') return [{ name: ONLY_CLIENT, client: 'only' }];
  return new ClusterSpec(cluster).tasks.map(({ name, job, index }) => ({ name, client: { job, index } }));
}

/** Addresses that nobody listens at, and nobody dials. */
function addressesFor(jobs: Description['cluster']): ClusterInput {
  return Object.fromEntries(Object.entries(jobs).map(([job, count]) => [job, new Array<string>(count).fill('127.0.0.1:1')]));
}

function untilAborted<T>(work: Promise<T>, limit: AbortSignal, signal: AbortSignal | undefined, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    limit.addEventListener('abort', () => reject(deadlineExceeded(`The rehearsal is ${late}`)), { once: true });
    signal?.addEventListener('abort', () => reject(toStatusError(signal.reason)), { once: true });
    work.then(resolve, reject);
  });
}
