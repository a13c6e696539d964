import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type {
  CreateWorkerSessionRequest,
  DeleteWorkerSessionRequest,
  DeregisterGraphRequest,
  LoggingRequest,
  LoggingResponse,
  RegisterGraphRequest,
} from '#proto/generated/tensorflow/worker_pb.ts';
import { aborted, invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { epochMicros } from './rendezvous-remote.ts';
import { RecentRequestIds } from './request-ids.ts';
import { SessionMgr } from './session-mgr.ts';
import type { WorkerEnv } from './worker-env.ts';
import type {
  CallOptions,
  PushTensorCall,
  RecvTensorCall,
  RecvTensorResult,
  RunGraphCall,
  RunGraphResult,
  WorkerInterface,
} from './worker-interface.ts';

/** The worker of this process. */
export class Worker implements WorkerInterface {
  readonly task: string;
  readonly isLocal = true;
  readonly takesPushes = true;
  readonly #env: WorkerEnv;
  readonly #sessions: SessionMgr;
  readonly #runGraphIds = new RecentRequestIds();
  readonly #recvTensorIds = new RecentRequestIds();
  #begunSteps = 0;
  #runningSteps = 0;

  constructor(env: WorkerEnv) {
    this.task = env.task;
    this.#env = env;
    this.#sessions = new SessionMgr(env);
  }

  /** Sessions of all masters, steps of which something is kept here, parts of steps that were begun so far and that run now. */
  counts(): Readonly<Record<'sessions' | 'steps' | 'begunSteps' | 'runningSteps', number>> {
    const { size: steps } = this.#env.rendezvousMgr;
    return { sessions: this.#sessions.size, steps, begunSteps: this.#begunSteps, runningSteps: this.#runningSteps };
  }

  async getStatus(): Promise<DeviceAttributes[]> {
    return this.#env.devices.map(({ attributes }) => attributes);
  }

  async createWorkerSession(request: CreateWorkerSessionRequest): Promise<void> {
    this.#sessions.create(request);
  }

  async deleteWorkerSession({ sessionHandle }: DeleteWorkerSessionRequest): Promise<void> {
    this.#sessions.delete(sessionHandle);
  }

  async registerGraph(request: RegisterGraphRequest): Promise<string> {
    const graphMgr = this.#sessions.graphMgr(request.sessionHandle, request.createWorkerSessionCalled);
    if (!request.graphDef) throw invalidArgument('RegisterGraph without a graph');
    return graphMgr.register(request.graphDef);
  }

  async deregisterGraph({ sessionHandle, createWorkerSessionCalled, graphHandle }: DeregisterGraphRequest): Promise<void> {
    this.#sessions.graphMgr(sessionHandle, createWorkerSessionCalled).deregister(graphHandle);
  }

  async runGraph(call: RunGraphCall, options: CallOptions = {}): Promise<RunGraphResult> {
    this.#runGraphIds.track(call.requestId, 'RunGraph (Worker)');
    const graphMgr = this.#sessions.graphMgr(call.sessionHandle, call.createWorkerSessionCalled);
    this.#begunSteps++;
    this.#runningSteps++;
    try {
      return await graphMgr.run(call, options.signal);
    } finally {
      this.#runningSteps--;
    }
  }

  async cleanupGraph(stepId: bigint): Promise<void> {
    this.#env.rendezvousMgr.cleanup(stepId);
  }

  async cleanupAll(containers: readonly string[]): Promise<void> {
    for (const { resources } of this.#env.devices) resources.clear(containers);
  }

  async recvTensor({ stepId, key, requestId }: RecvTensorCall, { signal }: CallOptions = {}): Promise<RecvTensorResult> {
    this.#recvTensorIds.track(requestId, 'RecvTensor (Worker)');
    const { rendezvousMgr, routes } = this.#env;
    routes.checkSource(key);
    try {
      const { tensor, isDead } = await rendezvousMgr.recvLocal(stepId, key, signal);
      return { tensor, isDead, sendStartMicros: epochMicros() };
    } catch (error) {
      // Who gives up waiting has given up the step: its other partitions here must not run on to the end.
      if (signal?.aborted) {
        rendezvousMgr.abort(stepId, aborted(`Step ${stepId} cancelled by a receiver. Cancelling rendezvous.`, { derived: true }));
      }
      throw toStatusError(error);
    }
  }

  async pushTensor({ stepId, key, ...value }: PushTensorCall): Promise<void> {
    this.#env.rendezvousMgr.deliver(stepId, key, { ...value, requestedMicros: 0n, repliedMicros: epochMicros() });
  }

  async logging(request: LoggingRequest): Promise<LoggingResponse> {
    return this.#env.transferLog.serve(request);
  }

  /** Ends the running steps of all sessions and frees isolated resources. */
  dispose(): void {
    this.#sessions.dispose();
  }
}
