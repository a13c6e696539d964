import type { DescMessage } from '@bufbuild/protobuf';
import {
  GetTaskStatsRequestSchema,
  GetTaskStatsResponseSchema,
  PlaceGraphRequestSchema,
  PlaceGraphResponseSchema,
} from '#proto/generated/lanflow/task_service_pb.ts';
import type { UnaryMethod } from './unary-call.ts';

const task = <I extends DescMessage, O extends DescMessage>(name: string, request: I, response: O): UnaryMethod<I, O> => ({
  path: `/lanflow.TaskService/${name}`,
  request,
  response,
});

/** What tasks of our own engine answer besides TensorFlow's services; genuine TensorFlow tasks answer UNIMPLEMENTED. */
export const taskMethods = {
  placeGraph: task('PlaceGraph', PlaceGraphRequestSchema, PlaceGraphResponseSchema),
  getTaskStats: task('GetTaskStats', GetTaskStatsRequestSchema, GetTaskStatsResponseSchema),
} as const;
