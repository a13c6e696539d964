import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConfigProtoSchema } from '#proto/generated/tensorflow/config_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { RunStepResponse } from '#proto/generated/tensorflow/master_pb.ts';
import { type RunMetadata, RunMetadataSchema, type RunOptionsSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { failedPrecondition, internal, StatusError, toCode } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';
import type { GraphBuilder, Output } from '../graph/node.ts';
import { type DeviceInfo, deviceInfo } from './device-info.ts';
import { type Feeds, readFeeds } from './feeds.ts';
import { type Fetched, type Fetches, type FetchPlan, planFetches } from './fetches.ts';
import { GraphSync } from './graph-sync.ts';
import { LocalTask, type LocalTaskOptions } from './local-task.ts';
import { MasterClient, type MasterClientOptions } from './master-client.ts';
import { methods } from './master-methods.ts';
import { SharedCall } from './shared-call.ts';

export interface SessionOptions extends MasterClientOptions {
  readonly graph: GraphBuilder;
  /** Device filters, soft placement, optimizer switches…: a ConfigProto, or its fields. */
  readonly config?: MessageInitShape<typeof ConfigProtoSchema>;
  /** How the private task of a session without target is started. */
  readonly localTask?: LocalTaskOptions;
  /** Makes what is sent out of a part of the graph: for tools that place nodes elsewhere, or keep what was sent. */
  readonly rewriteGraph?: (part: GraphDef) => GraphDef;
}

export interface RunOptions {
  readonly feeds?: Feeds;
  /** Trace level, partition graphs…: the fields of TensorFlow's RunOptions. */
  readonly options?: MessageInitShape<typeof RunOptionsSchema>;
  /** Aborting cancels the step on all tasks. */
  readonly signal?: AbortSignal;
  /** Limit for the step; it fails with DEADLINE_EXCEEDED. */
  readonly timeoutMs?: number;
}

export interface RunResult<T> {
  readonly value: T;
  /** Empty unless the run options asked for something. */
  readonly metadata: RunMetadata;
}

export interface CloseOptions {
  /** How long the master may take; 10 s by default. A genuine TensorFlow master does not answer while one of its tasks is dead. */
  readonly timeoutMs?: number;
}

interface Connection {
  readonly master: MasterClient;
  readonly graph: GraphSync;
  readonly task: LocalTask | undefined;
}

/**
 * A graph on a cluster. The first call connects: to the master at `target` (`grpc://host:port`), or without target to a
 * private task on this machine that shares nothing with other sessions and ends with this one. Nodes that were added to
 * the graph in the meantime are sent before each run. Runs may overlap. Close a session when it is no longer needed.
 *
 * All methods reject with StatusError. A master that is not there yet is waited for (see `onWait`, `operationTimeoutMs` and
 * `signal`); one that has gone away fails the call with UNAVAILABLE, and a session that it has forgotten with ABORTED: make
 * a new session then.
 */
export class Session {
  readonly #target: string | undefined;
  readonly #options: SessionOptions;
  #connection: SharedCall<Connection> | undefined;
  #closed = false;

  constructor(target: string | undefined, options: SessionOptions) {
    this.#target = target;
    this.#options = options;
  }

  /**
   * Runs one step: computes what is fetched and whatever that needs. Gives the values in the structure of `fetches`.
   *
   * @throws StatusError with the code and text of the kernel, placer or master that failed.
   */
  run<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<Fetched<F>> {
    // `Fetched` is the type of what `planFetches` puts together, which TypeScript cannot follow.
    return this.#runOnce(fetches, options).then(({ value }) => value) as Promise<Fetched<F>>;
  }

  /** The same, and what the step's RunMetadata holds: step stats with trace level FULL_TRACE, partition graphs on request; empty else. */
  async runWithMetadata<const F extends Fetches>(fetches: F, options: RunOptions = {}): Promise<RunResult<Fetched<F>>> {
    return (await this.#runOnce(fetches, options)) as RunResult<Fetched<F>>;
  }

  /** The devices that the session may use: those of all tasks but the ones that device filters leave out. */
  async listDevices({ signal }: { signal?: AbortSignal } = {}): Promise<DeviceInfo[]> {
    const { master, graph } = await this.#connect(signal);
    return deviceInfo(await master.call(methods.listDevices, { sessionHandle: graph.handle }, { signal }));
  }

  /** Ends the session: running steps fail with CANCELLED. Variables keep their values, but for those of a private task. */
  async close({ timeoutMs = 10_000 }: CloseOptions = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const pending = this.#connection;
    pending?.cancel(failedPrecondition('The session was closed'));
    const connection = await pending?.wait().catch(() => undefined);
    if (!connection) return;
    try {
      await connection.master.call(methods.closeSession, { sessionHandle: connection.graph.handle }, { timeoutMs });
    } finally {
      connection.master.close();
      await connection.task?.stop();
    }
  }

  /** Frees the variables and queues of these containers (of the default one when none is named) on all tasks, and closes all sessions of the master. */
  static async reset(
    target: string,
    containers: readonly string[] = [],
    { signal, ...options }: MasterClientOptions & { signal?: AbortSignal } = {},
  ): Promise<void> {
    const master = new MasterClient(target, options);
    try {
      await master.call(methods.reset, { container: [...containers] }, { signal, waitForReady: true });
    } finally {
      master.close();
    }
  }

  async #runOnce(fetches: Fetches, { feeds = [], ...options }: RunOptions): Promise<RunResult<unknown>> {
    const { graph } = this.#options;
    const plan = planFetches(graph, fetches);
    const values = readFeeds(graph, feeds);
    const needed = plan.tensors.filter((tensor) => !values.has(tensor));
    if (needed.length + plan.targets.length === 0) return { value: plan.assemble(values), metadata: create(RunMetadataSchema) };
    const response = await this.#runStep({ ...plan, tensors: needed }, values, options);
    for (const [output, tensor] of fetchedTensors(response, needed)) values.set(output, tensor);
    return { value: plan.assemble(values), metadata: response.metadata ?? create(RunMetadataSchema) };
  }

  async #runStep(
    plan: FetchPlan,
    feeds: ReadonlyMap<Output, Tensor>,
    { options, signal, timeoutMs }: RunOptions,
  ): Promise<RunStepResponse> {
    const { master, graph } = await this.#connect(signal);
    await graph.extend(signal);
    const limit = timeoutMs ?? Number(options?.timeoutInMs ?? 0);
    const request = {
      sessionHandle: graph.handle,
      feed: [...feeds].map(([{ name }, tensor]) => ({ name, tensor: toTensorProto(tensor) })),
      fetch: plan.tensors.map(({ name }) => name),
      target: plan.targets.map(({ name }) => name),
      options: { ...options, timeoutInMs: BigInt(limit) },
      storeErrorsInResponseBody: true,
    };
    const response = await master.call(methods.runStep, request, { signal, timeoutMs: limit });
    if (response.statusCode !== 0) throw new StatusError(toCode(response.statusCode), response.statusErrorMessage);
    return response;
  }

  /** Connects once; a failed attempt is forgotten, so that the next call tries again. */
  #connect(signal?: AbortSignal): Promise<Connection> {
    if (this.#closed) throw failedPrecondition('Attempted to use a closed session');
    this.#connection ??= new SharedCall(async (cancel) => {
      try {
        return await this.#open(cancel);
      } catch (error) {
        this.#connection = undefined;
        throw error;
      }
    });
    return this.#connection.wait(signal);
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { graph, config, localTask, rewriteGraph, ...options } = this.#options;
    const task = this.#target === undefined ? await LocalTask.start({ ...localTask, signal }) : undefined;
    const target = this.#target ?? task?.target ?? '';
    const master = new MasterClient(target, options);
    try {
      const settings = create(ConfigProtoSchema, config);
      return { master, task, graph: await GraphSync.create({ master, graph, rewriteGraph, config: settings, target, signal }) };
    } catch (error) {
      master.close();
      await task?.stop();
      throw error;
    }
  }
}

function fetchedTensors({ tensor }: RunStepResponse, wanted: readonly Output[]): [Output, Tensor][] {
  const byName = new Map(tensor.map((each) => [each.name, each.tensor]));
  return wanted.map((output) => {
    const proto = byName.get(output.name);
    if (!proto) throw internal(`The master's answer lacks the fetched tensor '${output.name}'`);
    return [output, fromTensorProto(proto)];
  });
}
