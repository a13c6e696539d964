import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import { hex64 } from '#proto/wire/ids.ts';
import { aborted, internal, invalidArgument, type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Device } from '../engine/device.ts';
import { compilePartition, type Executable } from '../engine/executor.ts';
import { Graph } from '../engine/graph.ts';
import { KernelCache } from '../engine/kernel-cache.ts';
import { partitionGraph } from '../engine/partition.ts';
import { StepStatsCollector } from '../engine/step-stats-collector.ts';
import type { RemoteRendezvous } from './rendezvous-remote.ts';
import { stepError } from './step-error.ts';
import { StepTransfers } from './transfer-log.ts';
import type { WorkerEnv } from './worker-env.ts';
import type { KeyedTensor, RunGraphCall, RunGraphResult } from './worker-interface.ts';

/** A graph as the master registered it, split by device and compiled. */
interface RegisteredGraph {
  readonly executables: readonly Executable[];
  readonly partitions: readonly GraphDef[];
}

/** The graphs of one session on this worker. */
export class GraphMgr {
  readonly #env: WorkerEnv;
  readonly #devices: ReadonlyMap<string, Device>;
  readonly #kernelCache = new KernelCache();
  readonly #graphs = new Map<string, RegisteredGraph>();
  /** Cancels the steps that run now. */
  readonly #running = new Set<AbortController>();
  #registrations = 0n;
  #newNames = 0;

  constructor(env: WorkerEnv, devices: readonly Device[]) {
    this.#env = env;
    this.#devices = new Map(devices.map((device) => [device.name, device]));
  }

  /** All that can be wrong with a graph before it runs is found out here. */
  register(def: GraphDef): string {
    const where = { where: this.#env.task };
    const graph = Graph.fromDef(def, where);
    for (const node of graph.nodes.values()) node.device = this.#deviceOf(node.requestedDevice, node.name).name;
    const partitions = partitionGraph(graph, {
      locate: (node) => node.device,
      newName: (prefix) => `${prefix}_G${++this.#newNames}`,
      incarnation: (device) => this.#deviceOf(device).incarnation,
    });
    const executables = [...partitions].map(([device, partition]) => this.#compile(Graph.fromDef(partition, where), device));
    const handle = hex64(++this.#registrations);
    this.#graphs.set(handle, { executables, partitions: [...partitions.values()] });
    return handle;
  }

  deregister(graphHandle: string): void {
    if (this.#graphs.delete(graphHandle)) return;
    throw aborted(`Graph handle is not found: ${graphHandle}. Possibly, this worker just restarted.`);
  }

  async run(call: RunGraphCall, signal?: AbortSignal): Promise<RunGraphResult> {
    const graph = this.#graphs.get(call.graphHandle);
    if (!graph) throw aborted(`Graph handle is not found: ${call.graphHandle}`);
    const cancellation = new AbortController();
    const cancel = () => cancellation.abort(toStatusError(signal?.reason));
    this.#running.add(cancellation);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    try {
      return await this.#runStep(graph, call, cancellation);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#running.delete(cancellation);
    }
  }

  /** Cancels what runs, with this reason, and forgets everything. */
  dispose(reason: StatusError): void {
    for (const cancellation of this.#running) cancellation.abort(reason);
    this.#graphs.clear();
    this.#kernelCache.clear();
    this.#env.rendezvousMgr.cleanupOwner(this);
  }

  async #runStep({ executables, partitions }: RegisteredGraph, call: RunGraphCall, cancellation: AbortController): Promise<RunGraphResult> {
    const { stepId, recordTimeline, recordPartitionGraphs, pushTensors } = call;
    const rendezvous = this.#env.rendezvousMgr.open(stepId, this, pushTensors);
    for (const { key, tensor } of call.send) rendezvous.send(key, { tensor, isDead: false });
    const collector = recordTimeline ? new StepStatsCollector() : undefined;
    // Tasks that push are of our own engine, whose master does not read the log out.
    if (recordTimeline && pushTensors) rendezvous.transfers = new StepTransfers();
    const errors: StatusError[] = [];
    const fail = (thrown: unknown) => {
      errors.push(toStatusError(thrown));
      cancellation.abort(aborted(`Step ${stepId} cancelled: a part of it failed`, { derived: true }));
    };
    const step = { stepId, rendezvous, signal: cancellation.signal, collector };
    await Promise.all(executables.map((executable) => executable.run(step).catch(fail)));
    const error = stepError(errors, executables.length);
    if (error) throw error;
    const recv = await fetchAll(rendezvous, call, cancellation.signal);
    const stepStats = collector?.stepStats();
    if (rendezvous.transfers) stepStats?.devStats.unshift(...rendezvous.transfers.devStats());
    return { recv, partitionGraphs: recordPartitionGraphs ? partitions : [], ...(stepStats ? { stepStats } : {}) };
  }

  #compile(partition: Graph, device: string): Executable {
    const { kernels, yieldToEvents } = this.#env;
    return compilePartition(partition, { device: this.#deviceOf(device), kernels, cache: this.#kernelCache, yieldToEvents });
  }

  /** Nodes come placed: a name that is no device of this worker is the master's mistake. */
  #deviceOf(name: string, node = ''): Device {
    const device = this.#devices.get(name);
    if (device) return device;
    if (name === '') throw invalidArgument(`Missing device name in: ${node}`);
    throw invalidArgument(`Node '${node}' is placed on ${name}, but ${this.#env.task} has only ${[...this.#devices.keys()].join(', ')}`);
  }
}

/** The values that the step's client-terminated Sends have left. */
async function fetchAll(rendezvous: RemoteRendezvous, { stepId, recvKeys }: RunGraphCall, signal: AbortSignal): Promise<KeyedTensor[]> {
  return Promise.all(
    recvKeys.map(async (key) => {
      const { tensor, isDead } = await rendezvous.local.recv(key, signal);
      if (!isDead) return { key, tensor };
      throw internal(`Failed to fetch outputs for step ${stepId}. (Original error message: The tensor returned for ${key} was not valid.)`);
    }),
  );
}
