import { create } from '@bufbuild/protobuf';
import type { ConfigProto } from '#proto/generated/tensorflow/config_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { DeregisterGraphRequestSchema, RegisterGraphRequestSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { stripDefaults } from '#proto/ops/defaults.ts';
import { opDef } from '#proto/ops/registry.ts';
import { taskOfDevice } from '#proto/wire/device-name.ts';
import { internal, notFound } from '#proto/wire/status.ts';
import { endpointName, parseInputName } from '#proto/wire/tensor-name.ts';
import type { Graph } from '../engine/graph.ts';
import { partitionGraph } from '../engine/partition.ts';
import { type ClientDevice, clientKey, pruneGraph } from '../engine/prune.ts';
import type { WorkerCache, WorkerInterface } from '../worker/worker-interface.ts';
import { fromTask } from './step-error.ts';

const DEREGISTER_TIMEOUT_MS = 5000;

/** What steps have in common that share a client graph: the names of their feeds, fetches and targets. */
export interface Signature {
  readonly feeds: readonly string[];
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
}

/** The nodes that a step runs on one task, registered there. */
export interface Partition {
  readonly worker: WorkerInterface;
  readonly graphHandle: string;
  /** Feeds enter and fetches leave here. */
  readonly isClient: boolean;
}

/** A graph for one signature, pruned, split by task and registered, ready to be run any number of times. */
export interface ClientGraph {
  readonly partitions: readonly Partition[];
  /** Rendezvous keys by the client's text. */
  readonly feedKeys: ReadonlyMap<string, string>;
  readonly fetchKeys: ReadonlyMap<string, string>;
  /** The values of `fetchKeys`, each once. */
  readonly recvKeys: readonly string[];
}

/** What of the session client graphs are made with. */
export interface ClientGraphEnv {
  readonly sessionHandle: string;
  readonly client: ClientDevice;
  readonly workers: WorkerCache;
  readonly config: ConfigProto | undefined;
  /** Incarnations of the session's devices, by full name. */
  readonly incarnations: ReadonlyMap<string, bigint>;
  newName(prefix: string): string;
}

/** Equal for steps whose feeds, fetches and targets differ in their order only. */
export function signatureKey({ feeds, fetches, targets }: Signature): string {
  return [feeds, fetches, targets].map((names) => (names.length > 1 ? [...names].sort() : names).join('\n')).join('\n\n');
}

/** Fails with the errors of pruning, or of the first task that refuses its partition. */
export async function buildClientGraph(graph: Graph, signature: Signature, env: ClientGraphEnv): Promise<ClientGraph> {
  const fetches = distinct(signature.fetches);
  const pruned = pruneGraph(graph, {
    ...signature,
    fetches: [...fetches.values()],
    targets: [...new Set(signature.targets)],
    client: env.client,
  });
  const parts = partitionGraph(pruned, {
    locate: ({ name, device }) => taskOfDevice(device) ?? unplaced(name),
    newName: (prefix) => env.newName(prefix),
    incarnation: (device) => env.incarnations.get(device) ?? 0n,
  });
  const partitions = await registerAll(parts, env);
  const keyOf = (text: string): string => clientKey(env.client, text);
  return {
    partitions,
    feedKeys: new Map(signature.feeds.map((text) => [text, keyOf(text)])),
    fetchKeys: new Map(signature.fetches.map((text) => [text, keyOf(fetches.get(canonical(text)) ?? text)])),
    recvKeys: [...fetches.values()].map(keyOf),
  };
}

/** All or none: what the other tasks registered is taken back when one refuses. */
async function registerAll(parts: ReadonlyMap<string, GraphDef>, env: ClientGraphEnv): Promise<Partition[]> {
  const outcomes = await Promise.allSettled([...parts].map(([task, def]) => register(task, def, env)));
  const registered = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!refused) return registered;
  for (const partition of registered) deregister(partition, env);
  throw refused.reason;
}

/** Not waited for: a task that does not answer drops the graph with the session. */
function deregister({ worker, graphHandle }: Partition, { sessionHandle }: ClientGraphEnv): void {
  const request = create(DeregisterGraphRequestSchema, { sessionHandle, createWorkerSessionCalled: true, graphHandle });
  void Promise.allSettled([worker.deregisterGraph(request, { timeoutMs: DEREGISTER_TIMEOUT_MS })]);
}

async function register(task: string, graphDef: GraphDef, env: ClientGraphEnv): Promise<Partition> {
  const worker = env.workers.worker(task);
  if (!worker) throw notFound(`worker ${task}`);
  if (!worker.isLocal) for (const node of graphDef.node) node.attr = stripped(node);
  const { sessionHandle, config } = env;
  const request = create(RegisterGraphRequestSchema, { sessionHandle, createWorkerSessionCalled: true, graphDef });
  if (config) request.configProto = config;
  if (config?.graphOptions) request.graphOptions = config.graphOptions;
  try {
    return { worker, graphHandle: await worker.registerGraph(request), isClient: task === taskOfDevice(env.client.name) };
  } catch (error) {
    throw fromTask(error, task);
  }
}

/** Without attrs that equal the op's default: a task with an older op list may not know them. */
function stripped({ op, attr }: GraphDef['node'][number]): GraphDef['node'][number]['attr'] {
  const def = opDef(op);
  return def ? stripDefaults(def, attr) : attr;
}

/** The first text for each endpoint: `x` and `x:0` are one fetch. */
function distinct(fetches: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of fetches) if (!found.has(canonical(text))) found.set(canonical(text), text);
  return found;
}

function canonical(text: string): string {
  const { node, output } = parseInputName(text);
  return endpointName(node, output);
}

function unplaced(name: string): never {
  throw internal(`Node '${name}' has no device although its graph was placed`);
}
