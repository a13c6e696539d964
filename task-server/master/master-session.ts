import { create } from '@bufbuild/protobuf';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import {
  type CreateSessionRequest,
  type ExtendSessionRequest,
  type ListDevicesResponse,
  ListDevicesResponseSchema,
} from '#proto/generated/tensorflow/master_pb.ts';
import { newSessionHandle, newStepId, requestIds } from '#proto/wire/ids.ts';
import { cancelled, failedPrecondition, internal, type StatusError } from '#proto/wire/status.ts';
import type { RunGraphResult } from '../worker/worker-interface.ts';
import { CallTimes } from './call-times.ts';
import { type ClientGraph, type ClientGraphEnv, signatureKey } from './client-graph.ts';
import { ClientGraphCache } from './client-graph-cache.ts';
import { DeviceFilters } from './device-filters.ts';
import { findDevices, keptTasks } from './device-finder.ts';
import { checkGraphDef } from './graph-check.ts';
import type { MasterEnv } from './master-env.ts';
import type { NamedTensor, RunStepCall, RunStepResult } from './master-interface.ts';
import { RunningSteps } from './running-steps.ts';
import { checkSessionConfig } from './session-config.ts';
import { SessionGraph } from './session-graph.ts';
import { StepCleanups } from './step-cleanups.ts';
import { runPartitions } from './step-runner.ts';
import { isTraced, runMetadata, withTransfers } from './step-trace.ts';
import { createWorkerSessions, deleteWorkerSessions, type WorkerSessionOptions } from './worker-sessions.ts';

const CLOSED = 'Step was cancelled by an explicit call to `Session::Close()`.';

/**
 * A session: waits for the tasks that its device filters keep, places and checks its graph, and makes itself known to all of
 * them. If any of that fails or is cancelled, nothing of the session is left anywhere.
 */
export async function createMasterSession(env: MasterEnv, request: CreateSessionRequest, signal?: AbortSignal): Promise<MasterSession> {
  const { config, graphDef = create(GraphDefSchema) } = request;
  checkSessionConfig(request, env.task);
  checkGraphDef(graphDef);
  const filters = new DeviceFilters(config?.deviceFilters ?? [], env.task);
  const devices = await findDevices(env, filters, signal);
  const graph = new SessionGraph(graphDef, { env, devices, softPlacement: config?.allowSoftPlacement ?? false });
  const options = { handle: newSessionHandle(), tasks: keptTasks(env, filters), devices, config };
  await createWorkerSessions(env, options, signal);
  return new MasterSession(env, graph, options);
}

export class MasterSession {
  readonly #env: MasterEnv;
  readonly #graph: SessionGraph;
  readonly #options: WorkerSessionOptions;
  readonly #clientGraphs: ClientGraphCache;
  readonly #newRequestId = requestIds();
  readonly #running = new RunningSteps();
  readonly #cleanups: StepCleanups;
  #closing: Promise<void> | undefined;

  constructor(env: MasterEnv, graph: SessionGraph, options: WorkerSessionOptions) {
    this.#env = env;
    this.#graph = graph;
    this.#options = options;
    this.#cleanups = new StepCleanups(env.after);
    this.#clientGraphs = new ClientGraphCache(clientGraphEnv(env, options));
  }

  get handle(): string {
    return this.#options.handle;
  }

  /** Returns the new version of the graph. */
  extend({ graphDef = create(GraphDefSchema), currentGraphVersion }: ExtendSessionRequest): bigint {
    this.#checkOpen();
    return this.#graph.extend(graphDef, currentGraphVersion);
  }

  listDevices(): ListDevicesResponse {
    return create(ListDevicesResponseSchema, { localDevice: [...this.#options.devices] });
  }

  async run(call: RunStepCall, signal?: AbortSignal): Promise<RunStepResult> {
    this.#checkOpen();
    return this.#running.run(signal, async (cancellation) => {
      const signature = { feeds: call.feeds.map(({ name }) => name), fetches: call.fetches, targets: call.targets };
      const made = this.#clientGraphs.get(signatureKey(signature), this.#graph.current, signature, cancellation.signal);
      return this.#runStep(made instanceof Promise ? await made : made, call, cancellation);
    });
  }

  /** Cancels the running steps, with this reason, and takes the session from all tasks. Bounded, and never fails. */
  close(reason: StatusError = cancelled(CLOSED)): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #runStep(graph: ClientGraph, call: RunStepCall, cancellation: AbortController): Promise<RunStepResult> {
    const { partitions } = graph;
    const { options } = call;
    const recordTimeline = isTraced(options);
    const step = {
      id: newStepId(),
      sessionHandle: this.handle,
      feeds: call.feeds,
      recordTimeline,
      callTimes: recordTimeline ? new CallTimes(this.#env.task) : undefined,
      recordPartitionGraphs: options?.outputPartitionGraphs ?? false,
      pushTensors: partitions.length > 1 && partitions.every(({ worker }) => worker.takesPushes),
      cancellation,
      newRequestId: this.#newRequestId,
      after: this.#env.after,
    };
    const run = () => runPartitions(graph, step);
    this.#cleanups.flush();
    try {
      const readsLogs = recordTimeline && partitions.length > 1 && !step.pushTensors;
      const { results, transfers } = readsLogs ? await withTransfers(partitions, step.id, run) : { results: await run(), transfers: [] };
      const wanted = recordTimeline || step.recordPartitionGraphs;
      const metadata = wanted ? runMetadata(transfers, results, step.callTimes?.stepCalls()) : undefined;
      return { tensors: fetched(graph, call.fetches, results), metadata };
    } finally {
      this.#cleanups.start(partitions, step.id);
    }
  }

  async #close(reason: StatusError): Promise<void> {
    this.#running.cancelAll(reason);
    await this.#running.idle();
    await this.#cleanups.done();
    await deleteWorkerSessions(this.#env, this.#options);
  }

  #checkOpen(): void {
    if (this.#closing) throw failedPrecondition('Session is closed.');
  }
}

function clientGraphEnv({ devices: [client], workers }: MasterEnv, { handle, devices, config }: WorkerSessionOptions): ClientGraphEnv {
  if (!client) throw internal('The task of a master has no device');
  let names = 0;
  return {
    sessionHandle: handle,
    client,
    workers,
    config,
    incarnations: new Map(devices.map(({ name, incarnation }) => [name, incarnation])),
    newName: (prefix) => `${prefix}_S${names++}`,
  };
}

/** The values of the fetches under the client's own texts. */
function fetched(graph: ClientGraph, fetches: readonly string[], results: readonly RunGraphResult[]): NamedTensor[] {
  if (fetches.length === 0) return [];
  const byKey = new Map(results.flatMap(({ recv }) => recv).map(({ key, tensor }) => [key, tensor]));
  return fetches.map((name) => {
    const tensor = byKey.get(graph.fetchKeys.get(name) ?? '');
    if (!tensor) throw internal(`Worker did not return a value for fetch: ${name}`);
    return { name, tensor };
  });
}
