import { create } from '@bufbuild/protobuf';
import { type DeviceAttributes, DeviceAttributesSchema } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import {
  type CreateWorkerSessionRequest,
  type DeleteWorkerSessionRequest,
  type LoggingRequest,
  type LoggingResponse,
  LoggingResponseSchema,
  type RegisterGraphRequest,
} from '#proto/generated/tensorflow/worker_pb.ts';
import { type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import { zeros } from '#proto/wire/tensor.ts';
import type { MasterEnv } from '../../../../task-server/master/master-env.ts';
import type {
  CallOptions,
  RunGraphCall,
  RunGraphResult,
  WorkerCache,
  WorkerInterface,
} from '../../../../task-server/worker/worker-interface.ts';

export const W0 = '/job:worker/replica:0/task:0';
export const W1 = '/job:worker/replica:0/task:1';
export const PS0 = '/job:ps/replica:0/task:0';

/** Answers like a worker whose graphs give a zero for every fetch; a test replaces the methods it wants to go otherwise. */
export class FakeWorker implements WorkerInterface {
  readonly task: string;
  readonly isLocal: boolean;
  takesPushes = false;
  readonly device: DeviceAttributes;
  /** `method` or `method:detail` of every call, in order. */
  readonly calls: string[] = [];
  readonly sessions = new Map<string, CreateWorkerSessionRequest>();
  readonly graphs = new Map<string, GraphDef>();
  readonly runs: RunGraphCall[] = [];
  readonly cleaned: bigint[] = [];

  constructor(task: string, incarnation: bigint, isLocal = false) {
    this.task = task;
    this.isLocal = isLocal;
    this.device = create(DeviceAttributesSchema, { name: `${task}/device:CPU:0`, deviceType: 'CPU', incarnation });
  }

  async getStatus(_options?: CallOptions): Promise<DeviceAttributes[]> {
    this.calls.push('getStatus');
    return [this.device];
  }

  async createWorkerSession(request: CreateWorkerSessionRequest, _options?: CallOptions): Promise<void> {
    this.calls.push('createWorkerSession');
    this.sessions.set(request.sessionHandle, request);
  }

  async deleteWorkerSession({ sessionHandle }: DeleteWorkerSessionRequest, _options?: CallOptions): Promise<void> {
    this.calls.push('deleteWorkerSession');
    this.sessions.delete(sessionHandle);
  }

  async registerGraph({ graphDef }: RegisterGraphRequest): Promise<string> {
    this.calls.push('registerGraph');
    const handle = `${this.task}#${this.graphs.size}`;
    if (graphDef) this.graphs.set(handle, graphDef);
    return handle;
  }

  async deregisterGraph(): Promise<void> {
    this.calls.push('deregisterGraph');
  }

  async runGraph(call: RunGraphCall, _options?: CallOptions): Promise<RunGraphResult> {
    this.calls.push('runGraph');
    this.runs.push(call);
    return { recv: call.recvKeys.map((key) => ({ key, tensor: zeros('float', []) })), partitionGraphs: [] };
  }

  async cleanupGraph(stepId: bigint, _options?: CallOptions): Promise<void> {
    this.cleaned.push(stepId);
  }

  async cleanupAll(containers: readonly string[], _options?: CallOptions): Promise<void> {
    this.calls.push(`cleanupAll:${containers.join()}`);
  }

  async recvTensor(): Promise<never> {
    throw unavailable('No transfers here');
  }

  async pushTensor(): Promise<never> {
    throw unavailable('No transfers here');
  }

  async logging(request: LoggingRequest): Promise<LoggingResponse> {
    this.calls.push(`logging:${request.enableRpcLogging ? 'on' : request.disableRpcLogging ? 'off' : 'fetch'}`);
    return create(LoggingResponseSchema);
  }

  count(method: string): number {
    return this.calls.filter((call) => call === method).length;
  }
}

/** A worker call that ends only when it is cancelled, with the reason; as a parked op makes it. */
export function untilCancelled(options: CallOptions | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = () => reject(toStatusError(options?.signal?.reason));
    if (options?.signal?.aborted) cancel();
    options?.signal?.addEventListener('abort', cancel);
  });
}

export interface FakeCluster {
  readonly env: MasterEnv;
  readonly workers: Readonly<Record<'w0' | 'w1' | 'ps', FakeWorker>>;
  readonly log: string[];
}

/** One ps and two workers; the master is worker 0. */
export function fakeCluster(changes: Partial<MasterEnv> = {}): FakeCluster {
  const workers = { ps: new FakeWorker(PS0, 11n), w0: new FakeWorker(W0, 2n ** 63n + 5n, true), w1: new FakeWorker(W1, 13n) };
  const byTask = new Map<string, FakeWorker>(Object.values(workers).map((worker) => [worker.task, worker]));
  const cache: WorkerCache = {
    tasks: [...byTask.keys()],
    worker: (task) => byTask.get(task),
    address: (task) => `${task.split('/')[1]?.slice(4)}.lan:2222`,
  };
  const log: string[] = [];
  const env: MasterEnv = {
    task: W0,
    devices: [workers.w0.device],
    workers: cache,
    hasKernel: () => true,
    placement: 'first-task',
    log: (line) => log.push(line),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    ...changes,
  };
  return { env, workers, log };
}

/** What a rejected promise was rejected with; fails the test when it was not. */
export async function failureOf(promise: Promise<unknown>): Promise<StatusError> {
  try {
    await promise;
  } catch (error) {
    return toStatusError(error);
  }
  throw new Error('Expected a rejection');
}
