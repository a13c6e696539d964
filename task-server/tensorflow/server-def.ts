import { create } from '@bufbuild/protobuf';
import { type ServerDef, ServerDefSchema } from '#proto/generated/tensorflow/tensorflow_server_pb.ts';
import type { TensorFlowServerOptions } from './tensorflow-server.ts';

export function serverDefOf({ cluster, job, task }: TensorFlowServerOptions): ServerDef {
  return create(ServerDefSchema, { cluster, jobName: job, taskIndex: task, protocol: 'grpc' });
}
