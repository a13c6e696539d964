import { create } from '@bufbuild/protobuf';
import { type PushTensorRequest, PushTensorRequestSchema, PushTensorResponseSchema } from '#proto/generated/lanflow/push_tensor_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import * as pb from '#proto/generated/tensorflow/worker_pb.ts';
import { toStatusError, unimplemented } from '#proto/wire/status.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';
import type { RunGraphCall, WorkerInterface } from '../worker/worker-interface.ts';
import type { Rope } from './rope.ts';
import { encodeRecvTensorResponse, encodeRunGraphResponse, toReceived } from './tensor-coding.ts';
import { type CallContext, notServed, type UnaryMethod, unary, unaryEncoded } from './unary-method.ts';

/** Not `tensorflow.grpc.WorkerService`, whatever TensorFlow's own .proto files say. */
export const WORKER_SERVICE = 'tensorflow.WorkerService';

/** The RPCs of the worker service in front of a worker. */
export function workerMethods(worker: WorkerInterface): UnaryMethod[] {
  return [
    unary('GetStatus', { request: pb.GetStatusRequestSchema, response: pb.GetStatusResponseSchema }, async (_, call) => ({
      deviceAttributes: await worker.getStatus(call),
    })),
    unary(
      'CreateWorkerSession',
      { request: pb.CreateWorkerSessionRequestSchema, response: pb.CreateWorkerSessionResponseSchema },
      async (request, call) => done(worker.createWorkerSession(request, call)),
    ),
    unary(
      'DeleteWorkerSession',
      { request: pb.DeleteWorkerSessionRequestSchema, response: pb.DeleteWorkerSessionResponseSchema },
      async (request, call) => done(worker.deleteWorkerSession(request, call)),
    ),
    unary('RegisterGraph', { request: pb.RegisterGraphRequestSchema, response: pb.RegisterGraphResponseSchema }, async (request, call) => ({
      graphHandle: await worker.registerGraph(request, call),
    })),
    unary(
      'DeregisterGraph',
      { request: pb.DeregisterGraphRequestSchema, response: pb.DeregisterGraphResponseSchema },
      async (request, call) => done(worker.deregisterGraph(request, call)),
    ),
    unaryEncoded('RunGraph', pb.RunGraphRequestSchema, (request, call) => runGraph(worker, request, call)),
    unary('CleanupGraph', { request: pb.CleanupGraphRequestSchema, response: pb.CleanupGraphResponseSchema }, async (request, call) =>
      done(worker.cleanupGraph(request.stepId, call)),
    ),
    unary('CleanupAll', { request: pb.CleanupAllRequestSchema, response: pb.CleanupAllResponseSchema }, async (request, call) =>
      done(worker.cleanupAll(request.container, call)),
    ),
    unaryEncoded('RecvTensor', pb.RecvTensorRequestSchema, async ({ stepId, rendezvousKey, requestId }, call) =>
      encodeRecvTensorResponse(await worker.recvTensor({ stepId, key: rendezvousKey, requestId }, call)),
    ),
    unary('PushTensor', { request: PushTensorRequestSchema, response: PushTensorResponseSchema }, async (request, call) =>
      done(pushTensor(worker, request, call)),
    ),
    unary('Logging', { request: pb.LoggingRequestSchema, response: pb.LoggingResponseSchema }, async (request, call) =>
      worker.logging(request, call),
    ),
    unary('MarkRecvFinished', { request: pb.MarkRecvFinishedRequestSchema, response: pb.MarkRecvFinishedResponseSchema }, async () => ({})),
    ...['RecvBuf', 'Tracing', 'CompleteGroup', 'CompleteInstance', 'GetStepSequence'].map((name) => notServed(name, worker.task)),
  ];
}

async function pushTensor(worker: WorkerInterface, request: PushTensorRequest, call: CallContext): Promise<void> {
  const { stepId, rendezvousKey: key, value = create(pb.RecvTensorResponseSchema) } = request;
  await worker.pushTensor({ stepId, key, ...toReceived(value) }, call);
}

async function done(work: Promise<void>): Promise<Record<string, never>> {
  await work;
  return {};
}

async function runGraph(worker: WorkerInterface, request: pb.RunGraphRequest, call: CallContext): Promise<Rope> {
  try {
    if (request.isPartial) throw unimplemented(`Partial runs are not served by ${worker.task}`);
    const { recv, stepStats, costGraph, partitionGraphs } = await worker.runGraph(toRunGraphCall(request), call);
    if (!stepStats && !costGraph && partitionGraphs.length === 0) return encodeRunGraphResponse(recv);
    return encodeRunGraphResponse(recv, {
      ...(stepStats ? { stepStats } : {}),
      ...(costGraph ? { costGraph } : {}),
      partitionGraph: [...partitionGraphs],
    });
  } catch (error) {
    if (!request.storeErrorsInResponseBody) throw error;
    const { code, message } = toStatusError(error);
    return encodeRunGraphResponse([], { statusCode: code, statusErrorMessage: message });
  }
}

function toRunGraphCall(request: pb.RunGraphRequest): RunGraphCall {
  const { execOpts } = request;
  return {
    sessionHandle: request.sessionHandle,
    createWorkerSessionCalled: request.createWorkerSessionCalled,
    graphHandle: request.graphHandle,
    stepId: request.stepId,
    send: request.send.map(({ name, tensor }) => ({ key: name, tensor: fromTensorProto(tensor ?? create(TensorProtoSchema)) })),
    recvKeys: request.recvKey,
    recordTimeline: (execOpts?.recordTimeline || execOpts?.recordCosts) ?? false,
    recordPartitionGraphs: execOpts?.recordPartitionGraphs ?? false,
    pushTensors: request.pushTensors,
    requestId: request.requestId,
  };
}
