import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { PushTensorRequestSchema } from '#proto/generated/lanflow/push_tensor_pb.ts';
import { RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { RecvTensorResponseSchema, RunGraphRequestSchema, RunGraphResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { makeTensor, type Tensor, zeros } from '#proto/wire/tensor.ts';
import { contentOf, fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';
import { joined, type Rope } from '../../../../task-server/service/rope.ts';
import {
  encodePushTensorRequest,
  encodeRecvTensorResponse,
  encodeRunGraphRequest,
  encodeRunGraphResponse,
  encodeRunStepResponse,
} from '../../../../task-server/service/tensor-coding.ts';

const text = (value: string) => new TextEncoder().encode(value);

const tensors: Record<string, Tensor> = {
  'a vector': makeTensor('float', [2], new Float32Array([1, 2])),
  'a scalar': makeTensor('int64', [], new BigInt64Array([-5n])),
  'zeros, in full': zeros('double', [3, 2]),
  'no elements': zeros('int32', [0, 4]),
  strings: makeTensor('string', [2], [text('ab'), text('c')]),
  'a handle': makeTensor('resource', [], [{ device: '/job:w/device:CPU:0', container: 'w', name: 'v', hashCode: 7n, typeName: 'T' }]),
  'half a megabyte': makeTensor('uint8', [524_288], new Uint8Array(524_288).fill(3)),
};

/** vitest prints byte arrays slowly; as texts they compare fast and read well. */
const hex = (bytes: Uint8Array | Rope) => ('pieces' in bytes ? joined(bytes) : Buffer.from(bytes)).toString('hex');

describe.each(Object.entries(tensors))('%s', (_, tensor) => {
  it('has the same bytes in a RecvTensorResponse as from the generated codec', () => {
    const result = { tensor, isDead: false, sendStartMicros: 1_700_000_000_000_000n };
    const generated = create(RecvTensorResponseSchema, { tensor: toTensorProto(tensor), sendStartMicros: result.sendStartMicros });
    expect(hex(encodeRecvTensorResponse(result))).toBe(hex(toBinary(RecvTensorResponseSchema, generated)));
  });

  it('has the same bytes in a PushTensorRequest', () => {
    const call = { stepId: 2n ** 56n - 3n, key: 'a;b;ü', tensor, isDead: true, sendStartMicros: 1_700_000_000_000_000n };
    const generated = create(PushTensorRequestSchema, {
      stepId: call.stepId,
      rendezvousKey: call.key,
      value: { tensor: toTensorProto(tensor), isDead: true, sendStartMicros: call.sendStartMicros },
    });
    expect(hex(encodePushTensorRequest(call))).toBe(hex(toBinary(PushTensorRequestSchema, generated)));
  });

  it('has the same bytes in a RunStepResponse', () => {
    const rest = { metadata: { stepStats: { devStats: [{ device: 'd' }] } } };
    const generated = create(RunStepResponseSchema, { tensor: [{ name: 'x:0', tensor: toTensorProto(tensor) }], ...rest });
    expect(hex(encodeRunStepResponse([{ name: 'x:0', tensor }], rest))).toBe(hex(toBinary(RunStepResponseSchema, generated)));
  });

  it('has the same bytes in RunGraph messages', () => {
    const call = {
      graphHandle: '000000000000000a',
      stepId: 123n,
      send: [{ key: 'k1', tensor }],
      recvKeys: ['k2'],
      sessionHandle: 's',
      createWorkerSessionCalled: true,
      recordTimeline: true,
      recordPartitionGraphs: true,
      pushTensors: true,
      requestId: -9n,
    };
    const request: MessageInitShape<typeof RunGraphRequestSchema> = {
      graphHandle: call.graphHandle,
      stepId: call.stepId,
      send: [{ name: 'k1', tensor: toTensorProto(tensor) }],
      recvKey: ['k2'],
      execOpts: { recordTimeline: true, recordPartitionGraphs: true },
      sessionHandle: 's',
      storeErrorsInResponseBody: true,
      createWorkerSessionCalled: true,
      requestId: -9n,
      pushTensors: true,
    };
    expect(hex(encodeRunGraphRequest(call))).toBe(hex(toBinary(RunGraphRequestSchema, create(RunGraphRequestSchema, request))));
    const response = create(RunGraphResponseSchema, { recv: [{ name: 'k2', tensor: toTensorProto(tensor) }] });
    expect(hex(encodeRunGraphResponse([{ key: 'k2', tensor }], {}))).toBe(hex(toBinary(RunGraphResponseSchema, response)));
  });

  it('comes back as it was', () => {
    const bytes = new Uint8Array(joined(encodeRecvTensorResponse({ tensor, isDead: false, sendStartMicros: 0n })));
    const { tensor: proto } = fromBinary(RecvTensorResponseSchema, bytes);
    const back = fromTensorProto(proto ?? expect.unreachable());
    expect(back).toMatchObject({ dtype: tensor.dtype, shape: tensor.shape });
    expect(hex(contentOf(back))).toBe(hex(contentOf(tensor)));
  });
});

it('puts content behind type and shape, also that of zeros', () => {
  const bytes = encodeRecvTensorResponse({ tensor: zeros('float', [2]), isDead: false, sendStartMicros: 0n });
  expect(hex(bytes)).toBe('0a1208011204120208022208' + '0000000000000000');
});

it('marks dead values', () => {
  const bytes = encodeRecvTensorResponse({ tensor: zeros('float', [0]), isDead: true, sendStartMicros: 0n });
  expect(fromBinary(RecvTensorResponseSchema, joined(bytes)).isDead).toBe(true);
});

it('refuses what does not fit into a message instead of sending half of it', () => {
  // Address space that nobody touches costs no memory.
  const tensor = makeTensor('uint8', [2 ** 31], new Uint8Array(2 ** 31));
  expect(() => encodeRecvTensorResponse({ tensor, isDead: false, sendStartMicros: 0n })).toThrow('limited to 2 GiB');
});
