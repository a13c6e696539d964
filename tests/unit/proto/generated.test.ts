import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ClusterDefSchema } from '#proto/generated/tensorflow/cluster_pb.ts';
import { DeviceAttributesSchema } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { ExtendSessionResponseSchema, RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { NamedTensorProtoSchema } from '#proto/generated/tensorflow/named_tensor_pb.ts';
import { NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { RecvTensorResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

describe('generated messages', () => {
  it('encode a tensor to the bytes TensorFlow sends', () => {
    const tensor = create(TensorProtoSchema, {
      dtype: DataType.DT_FLOAT,
      tensorShape: { dim: [{ size: 2n }] },
      tensorContent: bytes('0000803f 00000040'),
    });
    expect(hex(toBinary(TensorProtoSchema, tensor))).toBe('08011204120208022208 0000803f00000040'.replace(' ', ''));
  });

  it('keep an empty shape message: a scalar with a shape is not one without', () => {
    const scalar = create(TensorProtoSchema, { dtype: DataType.DT_STRING, tensorShape: {}, tensorContent: bytes('026869') });
    expect(hex(toBinary(TensorProtoSchema, scalar))).toBe('080712002203026869');
  });

  it('decode a RecvTensor response with the fields out of order', () => {
    const response = fromBinary(RecvTensorResponseSchema, bytes('18 8080f9c0c1c48203 0a12 0801 1204 12020802 2208 0000803f00000040'));
    expect(response.sendStartMicros).toBeTypeOf('bigint');
    expect(response.isDead).toBe(false);
    expect(response.tensor?.tensorContent).toHaveLength(8);
  });

  it('hold 64-bit numbers as bigint, unsigned ones up to the top', () => {
    const device = create(DeviceAttributesSchema, { memoryLimit: 268435456n, incarnation: 2n ** 64n - 1n });
    const copy = fromBinary(DeviceAttributesSchema, toBinary(DeviceAttributesSchema, device));
    expect(copy.incarnation).toBe(18446744073709551615n);
    expect(copy.memoryLimit).toBe(268435456n);
  });

  it('pack repeated numbers and read unpacked ones', () => {
    const packed = create(TensorProtoSchema, { int64Val: [1n, -1n] });
    expect(hex(toBinary(TensorProtoSchema, packed))).toBe('520b01ffffffffffffffffff01');
    expect(fromBinary(TensorProtoSchema, bytes('5001 5002')).int64Val).toEqual([1n, 2n]);
  });

  it('have the field numbers that are easy to get wrong', () => {
    expect(hex(toBinary(ExtendSessionResponseSchema, create(ExtendSessionResponseSchema, { newGraphVersion: 1n })))).toBe('2001');
    expect(hex(toBinary(RunStepResponseSchema, create(RunStepResponseSchema, { statusCode: 5 })))).toBe('1805');
    expect(hex(toBinary(NamedTensorProtoSchema, create(NamedTensorProtoSchema, { name: 'x:0' })))).toBe('0a03783a30');
  });

  it('read task maps with gaps', () => {
    const cluster = create(ClusterDefSchema, { job: [{ name: 'worker', tasks: { 0: 'a:1', 7: 'b:2' } }] });
    expect(fromBinary(ClusterDefSchema, toBinary(ClusterDefSchema, cluster)).job[0]?.tasks).toEqual({ 0: 'a:1', 7: 'b:2' });
  });

  it('carry fields that we do not declare through a round trip', () => {
    // A NodeDef whose experimental_type, opaque to us, holds type_id = 1000.
    const node = bytes('0a016e 3a03 08e807');
    expect(hex(toBinary(NodeDefSchema, fromBinary(NodeDefSchema, node)))).toBe(hex(node));
  });
});
