import type { DescMessage } from '@bufbuild/protobuf';
import {
  CloseSessionRequestSchema,
  CloseSessionResponseSchema,
  CreateSessionRequestSchema,
  CreateSessionResponseSchema,
  ExtendSessionRequestSchema,
  ExtendSessionResponseSchema,
  ListDevicesRequestSchema,
  ListDevicesResponseSchema,
  ResetRequestSchema,
  ResetResponseSchema,
  RunStepRequestSchema,
  RunStepResponseSchema,
} from '#proto/generated/tensorflow/master_pb.ts';
import { GetStatusRequestSchema, GetStatusResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import type { UnaryMethod } from './unary-call.ts';

// TensorFlow's servers answer under these paths, whatever package the service definitions name.
const master = <I extends DescMessage, O extends DescMessage>(name: string, request: I, response: O): UnaryMethod<I, O> => ({
  path: `/tensorflow.MasterService/${name}`,
  request,
  response,
});

/** The methods that a client needs. */
export const methods = {
  createSession: master('CreateSession', CreateSessionRequestSchema, CreateSessionResponseSchema),
  extendSession: master('ExtendSession', ExtendSessionRequestSchema, ExtendSessionResponseSchema),
  runStep: master('RunStep', RunStepRequestSchema, RunStepResponseSchema),
  closeSession: master('CloseSession', CloseSessionRequestSchema, CloseSessionResponseSchema),
  listDevices: master('ListDevices', ListDevicesRequestSchema, ListDevicesResponseSchema),
  reset: master('Reset', ResetRequestSchema, ResetResponseSchema),
  getStatus: { path: '/tensorflow.WorkerService/GetStatus', request: GetStatusRequestSchema, response: GetStatusResponseSchema },
} as const;
