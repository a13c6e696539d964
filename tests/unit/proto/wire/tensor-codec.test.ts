import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { TensorProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { type DType, dtypeNumber, dtypes } from '#proto/wire/dtype.ts';
import { type Tensor, zeros } from '#proto/wire/tensor.ts';
import { fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const encode = (tensor: Tensor) => toBinary(TensorProtoSchema, toTensorProto(tensor));

/** Bytes that TensorFlow's own runtime sends for these tensors. */
const vectors: readonly { name: string; tensor: Tensor; bytes: string }[] = [
  {
    name: 'float[2]',
    tensor: { dtype: 'float', shape: [2], data: Float32Array.of(1, 2) },
    bytes: '0801 1204 12020802 2208 0000803f00000040',
  },
  {
    name: 'string[2]',
    tensor: { dtype: 'string', shape: [2], data: [utf8('ab'), utf8('c')] },
    bytes: '0807 1204 12020802 2205 0201616263',
  },
  { name: 'scalar string', tensor: { dtype: 'string', shape: [], data: [utf8('hi')] }, bytes: '0807 1200 2203 026869' },
];

describe('tensor codec', () => {
  it.each(vectors)('encodes $name as TensorFlow does', ({ tensor, bytes }) => {
    expect(Buffer.from(encode(tensor)).toString('hex')).toBe(bytes.replaceAll(' ', ''));
  });

  it.each(vectors)('decodes $name', ({ tensor, bytes }) => {
    expect(fromTensorProto(fromBinary(TensorProtoSchema, hex(bytes)))).toEqual(tensor);
  });

  it.each(Object.keys(dtypes) as DType[])('round-trips %s bit for bit, empty and full', (dtype) => {
    const full = zeros(dtype, [2, 3]);
    if (!Array.isArray(full.data)) new Uint8Array(full.data.buffer).fill(dtype === 'bool' ? 1 : 0xa7);
    for (const tensor of [full, zeros(dtype, []), zeros(dtype, [0, 3])]) {
      expect(fromTensorProto(fromBinary(TensorProtoSchema, encode(tensor)))).toEqual(tensor);
    }
  });

  it('repeats the last value of a short typed field', () => {
    const proto = create(TensorProtoSchema, { dtype: dtypeNumber('float'), tensorShape: { dim: [{ size: 4n }] }, floatVal: [1, 2] });
    expect(fromTensorProto(proto).data).toEqual(Float32Array.of(1, 2, 2, 2));
  });

  it('repeats the last pair of a short complex field', () => {
    const proto = create(TensorProtoSchema, {
      dtype: dtypeNumber('complex64'),
      tensorShape: { dim: [{ size: 2n }] },
      scomplexVal: [1, -1],
    });
    expect(fromTensorProto(proto).data).toEqual(Float32Array.of(1, -1, 1, -1));
  });

  it('reads no value at all as zeros and empty strings', () => {
    const shape = { dim: [{ size: 2n }] };
    expect(fromTensorProto(create(TensorProtoSchema, { dtype: dtypeNumber('int64'), tensorShape: shape })).data).toEqual(
      BigInt64Array.of(0n, 0n),
    );
    expect(fromTensorProto(create(TensorProtoSchema, { dtype: dtypeNumber('string'), tensorShape: shape })).data).toEqual([
      utf8(''),
      utf8(''),
    ]);
  });

  it('ignores values beyond the shape', () => {
    const proto = create(TensorProtoSchema, { dtype: dtypeNumber('int32'), tensorShape: {}, intVal: [7, 8, 9] });
    expect(fromTensorProto(proto).data).toEqual(Int32Array.of(7));
  });

  it.each([
    ['content of the wrong size', { dtype: 1, tensorShape: { dim: [{ size: 2n }] }, tensorContent: new Uint8Array(7) }],
    ['an unknown rank', { dtype: 1, tensorShape: { unknownRank: true } }],
    ['a negative dimension', { dtype: 1, tensorShape: { dim: [{ size: -1n }] } }],
    ['data type 0', { dtype: 0, tensorShape: {} }],
    ['string lengths beyond the content', { dtype: 7, tensorShape: {}, tensorContent: Uint8Array.of(5, 1) }],
  ])('refuses %s', (_, init) => {
    expect(() => fromTensorProto(create(TensorProtoSchema, init))).toThrowError(expect.objectContaining({ codeName: 'INVALID_ARGUMENT' }));
  });

  it.each([
    ['numbers', { dtype: 1, tensorShape: { dim: [{ size: 2n ** 40n }] }, floatVal: [1] }],
    ['strings', { dtype: 7, tensorShape: { dim: [{ size: 2n ** 30n }] }, stringVal: [utf8('x')] }],
    ['strings in the content', { dtype: 7, tensorShape: { dim: [{ size: 2n ** 30n }] }, tensorContent: Uint8Array.of(1, 1) }],
  ])('refuses a shape that stands for more %s than memory holds, instead of filling it', (_, init) => {
    expect(() => fromTensorProto(create(TensorProtoSchema, init))).toThrowError(
      expect.objectContaining({ codeName: 'RESOURCE_EXHAUSTED' }),
    );
  });
});
