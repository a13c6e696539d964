import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { type RecvTensorResponse, RunGraphResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { dtypeNumber } from '#proto/wire/dtype.ts';
import { internal } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import { contentOf, fromTensorProto } from '#proto/wire/tensor-codec.ts';
import type { NamedTensor } from '../master/master-interface.ts';
import type { KeyedTensor, PushTensorCall, RecvTensorResult, RunGraphCall } from '../worker/worker-interface.ts';
import { ProtoWriter } from './proto-writer.ts';
import type { Rope } from './rope.ts';

// The messages that carry tensors are put together here: the generated codec copies the elements once per level of nesting, and
// takes ten times as long for a scalar as the rest of its way through a task. The bytes are the same. All is written from the
// end to the beginning, see ProtoWriter.

const MAX_MESSAGE_BYTES = 2 ** 31 - 1;

type RunStepRest = MessageInitShape<typeof RunStepResponseSchema>;
type RunGraphRest = MessageInitShape<typeof RunGraphResponseSchema>;

export function encodeRunStepResponse(tensors: readonly NamedTensor[], rest?: RunStepRest): Rope {
  const writer = new ProtoWriter();
  if (rest) writer.raw(toBinary(RunStepResponseSchema, create(RunStepResponseSchema, rest)));
  for (const { name, tensor } of tensors.toReversed()) writeNamedTensor(writer, 1, name, tensor);
  return message(writer);
}

export function encodeRunGraphResponse(recv: readonly KeyedTensor[], rest?: RunGraphRest): Rope {
  const writer = new ProtoWriter();
  if (rest) writer.raw(toBinary(RunGraphResponseSchema, create(RunGraphResponseSchema, rest)));
  for (const { key, tensor } of recv.toReversed()) writeNamedTensor(writer, 1, key, tensor);
  return message(writer);
}

export function encodeRunGraphRequest(call: RunGraphCall): Rope {
  const writer = new ProtoWriter();
  writer.bool(10001, call.pushTensors);
  writer.int64(11, call.requestId);
  writer.bool(10, call.createWorkerSessionCalled);
  writer.bool(9, true); // Errors in the body, where their text has no limit.
  writer.text(8, call.sessionHandle);
  const options = writer.size;
  writer.bool(4, call.recordPartitionGraphs);
  writer.bool(3, call.recordTimeline);
  writer.close(5, options);
  for (const key of call.recvKeys.toReversed()) writer.textElement(4, key);
  for (const { key, tensor } of call.send.toReversed()) writeNamedTensor(writer, 3, key, tensor);
  writer.int64(2, call.stepId);
  writer.text(1, call.graphHandle);
  return message(writer);
}

export function encodePushTensorRequest(call: PushTensorCall): Rope {
  const writer = new ProtoWriter();
  writeRecvTensorResponse(writer, call);
  writer.close(3, 0);
  writer.text(2, call.key);
  writer.int64(1, call.stepId);
  return message(writer);
}

export function encodeRecvTensorResponse(result: RecvTensorResult): Rope {
  const writer = new ProtoWriter();
  writeRecvTensorResponse(writer, result);
  return message(writer);
}

export function toReceived({ tensor, isDead, sendStartMicros }: RecvTensorResponse): RecvTensorResult {
  return { tensor: isDead ? NO_TENSOR : fromTensorProto(tensor ?? create(TensorProtoSchema)), isDead, sendStartMicros };
}

/** What a dead value is: nothing looks into it. */
const NO_TENSOR = { dtype: 'float', shape: [0], data: new Float32Array(0) } as const;

function writeRecvTensorResponse(writer: ProtoWriter, { tensor, isDead, sendStartMicros }: RecvTensorResult): void {
  writer.int64(3, sendStartMicros);
  writer.bool(2, isDead);
  const start = writer.size;
  writeTensor(writer, tensor);
  writer.close(1, start);
}

/** A NamedTensorProto in a field of the message around it. */
function writeNamedTensor(writer: ProtoWriter, field: number, name: string, tensor: Tensor): void {
  const start = writer.size;
  writeTensor(writer, tensor);
  writer.close(2, start);
  writer.text(1, name);
  writer.close(field, start);
}

/**
 * dtype, shape, content in this order, and all the content of a fixed-size type even if it is zeros: TensorFlow's fast
 * reader allocates on the first two and leaves memory that it finds no content for as it is.
 */
function writeTensor(writer: ProtoWriter, tensor: Tensor): void {
  const start = writer.size;
  const content = contentOf(tensor);
  if (content.length > 0) writer.bytesField(4, content);
  const shape = writer.size;
  for (const size of tensor.shape.toReversed()) {
    const dim = writer.size;
    writer.uint(1, size);
    writer.close(2, dim);
  }
  writer.close(2, shape);
  writer.uint(1, dtypeNumber(tensor.dtype));
  if (writer.size - start > MAX_MESSAGE_BYTES) {
    throw internal(`Cannot send a tensor of type ${tensor.dtype} and shape ${shapeText(tensor.shape)}: a message is limited to 2 GiB`);
  }
}

function message(writer: ProtoWriter): Rope {
  const rope = writer.finish();
  if (rope.size > MAX_MESSAGE_BYTES) throw internal(`A message of ${rope.size} bytes is over the limit of 2 GiB`);
  return rope;
}
