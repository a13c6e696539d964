import { create } from '@bufbuild/protobuf';
import * as pb from '#proto/generated/tensorflow/master_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { toStatusError, unimplemented } from '#proto/wire/status.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';
import type { MasterInterface } from '../master/master-interface.ts';
import type { Rope } from './rope.ts';
import { encodeRunStepResponse } from './tensor-coding.ts';
import { type CallContext, notServed, type UnaryMethod, unary, unaryEncoded } from './unary-method.ts';

/** The second name is the one that a client generated from TensorFlow's .proto files dials. */
export const MASTER_SERVICES = ['tensorflow.MasterService', 'tensorflow.grpc.MasterService'] as const;

/** The RPCs of the master service in front of a master; `task` is named by those that are not served. */
export function masterMethods(master: MasterInterface, task: string): UnaryMethod[] {
  return [
    unary('CreateSession', { request: pb.CreateSessionRequestSchema, response: pb.CreateSessionResponseSchema }, (request, call) =>
      master.createSession(request, call),
    ),
    unary('ExtendSession', { request: pb.ExtendSessionRequestSchema, response: pb.ExtendSessionResponseSchema }, async (request, call) => ({
      newGraphVersion: await master.extendSession(request, call),
    })),
    unaryEncoded('RunStep', pb.RunStepRequestSchema, (request, call) => runStep(master, task, { request, call })),
    unary('CloseSession', { request: pb.CloseSessionRequestSchema, response: pb.CloseSessionResponseSchema }, async (request, call) => {
      await master.closeSession(request.sessionHandle, call);
      return {};
    }),
    unary('ListDevices', { request: pb.ListDevicesRequestSchema, response: pb.ListDevicesResponseSchema }, (request, call) =>
      master.listDevices(request.sessionHandle, call),
    ),
    unary('Reset', { request: pb.ResetRequestSchema, response: pb.ResetResponseSchema }, async (request, call) => {
      await master.reset(request.container, request.deviceFilters, call);
      return {};
    }),
    ...['PartialRunSetup', 'MakeCallable', 'RunCallable', 'ReleaseCallable'].map((name) => notServed(name, task)),
  ];
}

async function runStep(
  master: MasterInterface,
  task: string,
  { request, call }: { request: pb.RunStepRequest; call: CallContext },
): Promise<Rope> {
  try {
    if (request.partialRunHandle !== '') throw unimplemented(`Partial runs are not served by ${task}`);
    const feeds = request.feed.map(({ name, tensor }) => ({ name, tensor: fromTensorProto(tensor ?? create(TensorProtoSchema)) }));
    const { sessionHandle, fetch, target, options } = request;
    const { tensors, metadata } = await master.runStep({ sessionHandle, feeds, fetches: fetch, targets: target, options }, call);
    return encodeRunStepResponse(tensors, metadata && { metadata });
  } catch (error) {
    if (!request.storeErrorsInResponseBody) throw error;
    const { code, message } = toStatusError(error);
    return encodeRunStepResponse([], { statusCode: code, statusErrorMessage: message });
  }
}
