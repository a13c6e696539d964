import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import * as pb from '#proto/generated/tensorflow/worker_pb.ts';
import { internal, StatusError, toCode } from '#proto/wire/status.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';
import type {
  CallOptions,
  PushTensorCall,
  RecvTensorCall,
  RecvTensorResult,
  RunGraphCall,
  RunGraphResult,
  WorkerInterface,
} from '../worker/worker-interface.ts';
import { ropeOf } from './rope.ts';
import { type PeerCallOptions, type TaskAddress, TaskClient } from './task-client.ts';
import { encodePushTensorRequest, encodeRunGraphRequest, toReceived } from './tensor-coding.ts';
import type { Transport } from './transport.ts';
import { plainBytes } from './unary-method.ts';
import { WORKER_SERVICE } from './worker-service.ts';

/** The worker of another task, behind the network; ours or a genuine TensorFlow one. */
export class RemoteWorker implements WorkerInterface {
  readonly task: string;
  readonly isLocal = false;
  readonly #client: TaskClient;

  /** Owns the transport. */
  constructor(peer: TaskAddress, transport: Transport) {
    this.task = peer.task;
    this.#client = new TaskClient(peer, WORKER_SERVICE, transport);
  }

  get takesPushes(): boolean {
    return this.#client.hasLink;
  }

  async getStatus(options?: CallOptions): Promise<DeviceAttributes[]> {
    const schemas = { request: pb.GetStatusRequestSchema, response: pb.GetStatusResponseSchema };
    const { deviceAttributes } = await this.#call('GetStatus', schemas, {}, options);
    return deviceAttributes;
  }

  async createWorkerSession(request: pb.CreateWorkerSessionRequest, options?: CallOptions): Promise<void> {
    const schemas = { request: pb.CreateWorkerSessionRequestSchema, response: pb.CreateWorkerSessionResponseSchema };
    await this.#call('CreateWorkerSession', schemas, request, options);
  }

  async deleteWorkerSession(request: pb.DeleteWorkerSessionRequest, options?: CallOptions): Promise<void> {
    const schemas = { request: pb.DeleteWorkerSessionRequestSchema, response: pb.DeleteWorkerSessionResponseSchema };
    await this.#call('DeleteWorkerSession', schemas, request, options);
  }

  async registerGraph(request: pb.RegisterGraphRequest, options?: CallOptions): Promise<string> {
    const schemas = { request: pb.RegisterGraphRequestSchema, response: pb.RegisterGraphResponseSchema };
    const { graphHandle } = await this.#call('RegisterGraph', schemas, request, options);
    return graphHandle;
  }

  async deregisterGraph(request: pb.DeregisterGraphRequest, options?: CallOptions): Promise<void> {
    const schemas = { request: pb.DeregisterGraphRequestSchema, response: pb.DeregisterGraphResponseSchema };
    await this.#call('DeregisterGraph', schemas, request, options);
  }

  async runGraph(call: RunGraphCall, options?: CallOptions): Promise<RunGraphResult> {
    const bytes = await this.#client.call('RunGraph', encodeRunGraphRequest(call), options);
    const response = this.#decode(pb.RunGraphResponseSchema, bytes);
    if (response.statusCode !== 0) throw new StatusError(toCode(response.statusCode), response.statusErrorMessage);
    return {
      recv: response.recv.map(({ name, tensor }) => ({ key: name, tensor: fromTensorProto(tensor ?? create(TensorProtoSchema)) })),
      partitionGraphs: response.partitionGraph,
      ...(response.stepStats ? { stepStats: response.stepStats } : {}),
      ...(response.costGraph ? { costGraph: response.costGraph } : {}),
    };
  }

  async cleanupGraph(stepId: bigint, options?: CallOptions): Promise<void> {
    const schemas = { request: pb.CleanupGraphRequestSchema, response: pb.CleanupGraphResponseSchema };
    await this.#call('CleanupGraph', schemas, { stepId }, { ...options, isNotice: true });
  }

  async cleanupAll(containers: readonly string[], options?: CallOptions): Promise<void> {
    const schemas = { request: pb.CleanupAllRequestSchema, response: pb.CleanupAllResponseSchema };
    await this.#call('CleanupAll', schemas, { container: [...containers] }, options);
  }

  async recvTensor({ stepId, key, requestId }: RecvTensorCall, options?: CallOptions): Promise<RecvTensorResult> {
    const request = create(pb.RecvTensorRequestSchema, { stepId, rendezvousKey: key, requestId });
    const bytes = await this.#client.call('RecvTensor', ropeOf(toBinary(pb.RecvTensorRequestSchema, request)), options);
    const response = this.#decode(pb.RecvTensorResponseSchema, bytes);
    if (response.requireAck) void this.#acknowledge(requestId);
    return toReceived(response);
  }

  async pushTensor(call: PushTensorCall, options?: CallOptions): Promise<void> {
    await this.#client.call('PushTensor', encodePushTensorRequest(call), { ...options, isNotice: true });
  }

  logging(request: pb.LoggingRequest, options?: CallOptions): Promise<pb.LoggingResponse> {
    return this.#call('Logging', { request: pb.LoggingRequestSchema, response: pb.LoggingResponseSchema }, request, options);
  }

  dispose(): void {
    this.#client.dispose();
  }

  /** Lets a sender with a response cache forget; without it the answer stays there until the step's cleanup. */
  async #acknowledge(requestId: bigint): Promise<void> {
    const schemas = { request: pb.MarkRecvFinishedRequestSchema, response: pb.MarkRecvFinishedResponseSchema };
    await this.#call('MarkRecvFinished', schemas, { requestId }, {}).catch(() => undefined);
  }

  async #call<I extends DescMessage, O extends DescMessage>(
    method: string,
    schemas: { request: I; response: O },
    request: MessageInitShape<I>,
    options: PeerCallOptions | undefined,
  ): Promise<MessageShape<O>> {
    const bytes = await this.#client.call(method, ropeOf(toBinary(schemas.request, create(schemas.request, request))), options);
    return this.#decode(schemas.response, bytes);
  }

  #decode<O extends DescMessage>(schema: O, bytes: Uint8Array): MessageShape<O> {
    try {
      return fromBinary(schema, plainBytes(bytes));
    } catch (error) {
      throw internal(`Malformed ${schema.typeName} from ${this.task}`, { cause: error });
    }
  }
}
