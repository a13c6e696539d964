import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { RecvTensorResponseSchema, RunGraphRequestSchema, RunGraphResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { dtypeNumber } from '#proto/wire/dtype.ts';
import { internal } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import { contentOf, toShapeProto } from '#proto/wire/tensor-codec.ts';
import { varintSize, writeVarint } from '#proto/wire/varint.ts';
import type { NamedTensor } from '../master/master-interface.ts';
import type { KeyedTensor, RecvTensorResult, RunGraphCall } from '../worker/worker-interface.ts';

// The messages that carry tensors are put together here because the generated codec copies the elements once per level of
// nesting. Small parts still come from it; elements are copied once, into the final buffer. The bytes are the same.

/** Bytes to come, in pieces that are joined only once. */
interface Rope {
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
}

export function encodeRunStepResponse(tensors: readonly NamedTensor[], rest: MessageInitShape<typeof RunStepResponseSchema>): Buffer {
  return join([
    ...tensors.map(({ name, tensor }) => namedTensor(1, name, tensor)),
    rope(toBinary(RunStepResponseSchema, create(RunStepResponseSchema, rest))),
  ]);
}

export function encodeRunGraphResponse(recv: readonly KeyedTensor[], rest: MessageInitShape<typeof RunGraphResponseSchema>): Buffer {
  return join([
    ...recv.map(({ key, tensor }) => namedTensor(1, key, tensor)),
    rope(toBinary(RunGraphResponseSchema, create(RunGraphResponseSchema, rest))),
  ]);
}

export function encodeRunGraphRequest(call: RunGraphCall): Buffer {
  const head = create(RunGraphRequestSchema, { graphHandle: call.graphHandle, stepId: call.stepId });
  const tail = create(RunGraphRequestSchema, {
    recvKey: [...call.recvKeys],
    execOpts: { recordTimeline: call.recordTimeline, recordPartitionGraphs: call.recordPartitionGraphs },
    sessionHandle: call.sessionHandle,
    storeErrorsInResponseBody: true,
    createWorkerSessionCalled: call.createWorkerSessionCalled,
    requestId: call.requestId,
  });
  return join([
    rope(toBinary(RunGraphRequestSchema, head)),
    ...call.send.map(({ key, tensor }) => namedTensor(3, key, tensor)),
    rope(toBinary(RunGraphRequestSchema, tail)),
  ]);
}

export function encodeRecvTensorResponse({ tensor, isDead, sendStartMicros }: RecvTensorResult): Buffer {
  const rest = create(RecvTensorResponseSchema, { isDead, sendStartMicros });
  return join([field(1, tensorProto(tensor)), rope(toBinary(RecvTensorResponseSchema, rest))]);
}

/** A NamedTensorProto in field `number` of the message around it. */
function namedTensor(number: number, name: string, tensor: Tensor): Rope {
  return field(number, concat([...(name === '' ? [] : [field(1, rope(new TextEncoder().encode(name)))]), field(2, tensorProto(tensor))]));
}

/**
 * dtype, shape, content in this order, and all the content of a fixed-size type even if it is zeros: TensorFlow's fast
 * reader allocates on the first two and leaves memory that it finds no content for as it is.
 */
function tensorProto(tensor: Tensor): Rope {
  const head = create(TensorProtoSchema, { dtype: dtypeNumber(tensor.dtype), tensorShape: toShapeProto(tensor.shape) });
  const content = contentOf(tensor);
  const proto = concat([rope(toBinary(TensorProtoSchema, head)), ...(content.length > 0 ? [field(4, rope(content))] : [])]);
  if (proto.size > MAX_MESSAGE_BYTES) {
    throw internal(`Cannot send a tensor of type ${tensor.dtype} and shape ${shapeText(tensor.shape)}: a message is limited to 2 GiB`);
  }
  return proto;
}

const MAX_MESSAGE_BYTES = 2 ** 31 - 1;
const LENGTH_DELIMITED = 2;

function rope(bytes: Uint8Array): Rope {
  return { pieces: [bytes], size: bytes.length };
}

function concat(ropes: readonly Rope[]): Rope {
  let size = 0;
  for (const each of ropes) size += each.size;
  return { pieces: ropes.flatMap((each) => each.pieces), size };
}

function field(number: number, value: Rope): Rope {
  const tag = number * 8 + LENGTH_DELIMITED;
  const header = new Uint8Array(varintSize(tag) + varintSize(value.size));
  writeVarint(header, writeVarint(header, 0, tag), value.size);
  return { pieces: [header, ...value.pieces], size: header.length + value.size };
}

function join(ropes: readonly Rope[]): Buffer {
  const { pieces, size } = concat(ropes);
  if (size > MAX_MESSAGE_BYTES) throw internal(`A message of ${size} bytes is over the limit of 2 GiB`);
  const bytes = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
