import type { CostGraphDef } from '#proto/generated/tensorflow/cost_graph_pb.ts';
import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { StepStats } from '#proto/generated/tensorflow/step_stats_pb.ts';
import type {
  CreateWorkerSessionRequest,
  DeleteWorkerSessionRequest,
  DeregisterGraphRequest,
  LoggingRequest,
  LoggingResponse,
  RegisterGraphRequest,
} from '#proto/generated/tensorflow/worker_pb.ts';
import type { StatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';

/** A feed that enters, or a fetch that leaves, a step through the rendezvous. */
export interface KeyedTensor {
  /** Full rendezvous key. */
  readonly key: string;
  readonly tensor: Tensor;
}

/** One partition of one step. Source: RunGraphRequest of TensorFlow's WorkerService. */
export interface RunGraphCall {
  readonly sessionHandle: string;
  /** False only from callers of the old protocol, who share one session whatever the handle. */
  readonly createWorkerSessionCalled: boolean;
  readonly graphHandle: string;
  readonly stepId: bigint;
  readonly send: readonly KeyedTensor[];
  readonly recvKeys: readonly string[];
  readonly recordTimeline: boolean;
  readonly recordPartitionGraphs: boolean;
  /** All tasks of the step take pushes: values for other tasks are pushed there, and theirs come in the same way. */
  readonly pushTensors: boolean;
  /** Non-zero ids are served once; a repetition is ABORTED. */
  readonly requestId: bigint;
}

export interface RunGraphResult {
  readonly recv: readonly KeyedTensor[];
  readonly stepStats?: StepStats;
  readonly costGraph?: CostGraphDef;
  readonly partitionGraphs: readonly GraphDef[];
}

export interface RecvTensorCall {
  readonly stepId: bigint;
  readonly key: string;
  readonly requestId: bigint;
}

export interface RecvTensorResult {
  readonly tensor: Tensor;
  readonly isDead: boolean;
  /** Unix epoch, microseconds, by the sender's clock. */
  readonly sendStartMicros: bigint;
}

/** A value on its way to a task that has not asked for it. */
export interface PushTensorCall extends RecvTensorResult {
  readonly stepId: bigint;
  readonly key: string;
}

export interface CallOptions {
  /** Cancels the call; it then rejects with CANCELLED or with the signal's StatusError. */
  readonly signal?: AbortSignal;
  /** Milliseconds until DEADLINE_EXCEEDED; none means no limit. */
  readonly timeoutMs?: number;
  /**
   * Keep trying while the task cannot be reached (the caller has a reason to wait) instead of failing UNAVAILABLE at
   * once. `onWait` hears why each try failed.
   */
  readonly waitForReady?: boolean;
  readonly onWait?: (reason: StatusError) => void;
}

/**
 * A task's worker as the master sees it, wherever it lives: in this process (`Worker`) or behind gRPC (`RemoteWorker`).
 * All methods reject with StatusError. Implementations own nothing of the caller's.
 */
export interface WorkerInterface {
  /** `/job:ps/replica:0/task:1` */
  readonly task: string;
  /** This process's own worker: calls are function calls. */
  readonly isLocal: boolean;
  /** It is of our own engine and there is a link to it, so it understands `pushTensor` and steps with `pushTensors`. */
  readonly takesPushes: boolean;

  getStatus(options?: CallOptions): Promise<DeviceAttributes[]>;
  createWorkerSession(request: CreateWorkerSessionRequest, options?: CallOptions): Promise<void>;
  deleteWorkerSession(request: DeleteWorkerSessionRequest, options?: CallOptions): Promise<void>;
  /** Resolves to the graph handle. */
  registerGraph(request: RegisterGraphRequest, options?: CallOptions): Promise<string>;
  deregisterGraph(request: DeregisterGraphRequest, options?: CallOptions): Promise<void>;
  /** Always settles, also when cancelled; a failed step rejects with the root error of this partition. */
  runGraph(call: RunGraphCall, options?: CallOptions): Promise<RunGraphResult>;
  cleanupGraph(stepId: bigint, options?: CallOptions): Promise<void>;
  /** Frees the resources of these containers (none: the default one) on all devices of the task. */
  cleanupAll(containers: readonly string[], options?: CallOptions): Promise<void>;
  /** Waits until the step's Send has produced the value; may come before the step is known here. */
  recvTensor(call: RecvTensorCall, options?: CallOptions): Promise<RecvTensorResult>;
  /** Hands over a value of a step with `pushTensors`; the step need not be known there yet. Resolves when it is on its way. */
  pushTensor(call: PushTensorCall, options?: CallOptions): Promise<void>;
  logging(request: LoggingRequest, options?: CallOptions): Promise<LoggingResponse>;
}

/** Hands out workers by task name; the only place that knows where a worker lives. */
export interface WorkerCache {
  /** All tasks of the cluster, own one included, sorted by job name and then by task index. */
  readonly tasks: readonly string[];
  /** Undefined for a task that the cluster does not list. */
  worker(task: string): WorkerInterface | undefined;
  /** Address as the cluster spec gives it, for messages. */
  address(task: string): string | undefined;
}
