import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ResourceHandleProto, ResourceHandleProtoSchema } from '#proto/generated/tensorflow/resource_handle_pb.ts';
import { type TensorProto, TensorProtoSchema, VariantTensorDataProtoSchema } from '#proto/generated/tensorflow/tensor_pb.ts';
import { type TensorShapeProto, TensorShapeProtoSchema } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import { type DType, dtypeFromNumber, dtypeNumber, dtypeSize } from './dtype.ts';
import { internal, invalidArgument } from './status.ts';
import {
  allocate,
  bytesOf,
  checkObjectCount,
  type DataByType,
  type ResourceHandle,
  SHARED_BYTES,
  shapeText,
  sizeOf,
  type Tensor,
  type TypedArray,
  viewBytes,
} from './tensor.ts';
import { readByteStrings, writeByteStrings } from './varint.ts';

/** Where decoded elements are put; `allocate` unless the caller has its own memory. */
export type Allocate = <D extends DType>(dtype: D, count: number) => DataByType[D];

type Fields = Omit<TensorProto, '$typeName' | '$unknown' | 'dtype' | 'tensorShape' | 'versionNumber' | 'tensorContent'>;
type RepeatedField = Exclude<keyof Fields, 'float8Val' | 'resourceHandleVal' | 'variantVal' | 'stringVal'>;

/** The `*_val` field of each type whose elements are numbers. Complex types and the 16-bit floats hold parts and bit patterns. */
const valueField: Readonly<Partial<Record<DType, RepeatedField>>> = {
  float: 'floatVal',
  double: 'doubleVal',
  int32: 'intVal',
  qint32: 'intVal',
  uint8: 'intVal',
  int8: 'intVal',
  quint8: 'intVal',
  qint8: 'intVal',
  int16: 'intVal',
  uint16: 'intVal',
  qint16: 'intVal',
  quint16: 'intVal',
  int64: 'int64Val',
  bool: 'boolVal',
  half: 'halfVal',
  bfloat16: 'halfVal',
  complex64: 'scomplexVal',
  complex128: 'dcomplexVal',
  uint32: 'uint32Val',
  uint64: 'uint64Val',
};

/**
 * The message that TensorFlow's own runtime sends: shape always present, elements in `tensor_content`, strings included.
 * Fixed-size elements are not copied, so the message shares the tensor's memory.
 */
export function toTensorProto(tensor: Tensor): TensorProto {
  return create(TensorProtoSchema, {
    dtype: dtypeNumber(tensor.dtype),
    tensorShape: toShapeProto(tensor.shape),
    tensorContent: contentOf(tensor),
  });
}

/** Elements as `tensor_content` holds them: little-endian values, or lengths and bytes of each element. */
export function contentOf(tensor: Tensor): Uint8Array {
  const { data } = tensor;
  if (!Array.isArray(data)) return bytesOf(tensor);
  return writeByteStrings(
    data.map((element) => (element instanceof Uint8Array ? element : toBinary(ResourceHandleProtoSchema, toHandleProto(element)))),
  );
}

/**
 * Decodes any form that TensorFlow writes: `tensor_content` wins when not empty and must have the right size; else the
 * typed field, whose last value repeats to the end (none: zeros). INVALID_ARGUMENT for anything else. Content in shared
 * memory becomes the tensor's own: nobody may write there any more.
 */
export function fromTensorProto(proto: TensorProto, memory: Allocate = allocate): Tensor {
  const dtype = dtypeFromNumber(proto.dtype);
  if (dtype === undefined) throw invalidArgument(`Tensor of data type ${proto.dtype}, which is not supported`);
  const shape = toShape(proto.tensorShape);
  const count = sizeOf(shape);
  if (dtypeSize(dtype) === 0) return { dtype, shape, data: variableSizeElements(proto, dtype, count) };
  if (memory === allocate && isTensorMemory(proto.tensorContent, count * dtypeSize(dtype))) {
    return { dtype, shape, data: viewBytes(dtype, proto.tensorContent) };
  }
  const data = memory(dtype, count);
  if (proto.tensorContent.length > 0) copyContent(proto.tensorContent, data as TypedArray, dtype, shape);
  else fillFromValues(proto, dtype, data as TypedArray);
  return { dtype, shape, data };
}

/** Large elements that came in aligned and in shared memory, which they fill for the most part, stay where they are. */
function isTensorMemory({ buffer, byteOffset, byteLength }: Uint8Array, bytes: number): boolean {
  if (typeof SharedArrayBuffer !== 'function' || !(buffer instanceof SharedArrayBuffer)) return false;
  return bytes >= SHARED_BYTES && byteLength === bytes && byteOffset % 8 === 0 && 2 * bytes >= buffer.byteLength;
}

function copyContent(content: Uint8Array, data: TypedArray, dtype: DType, shape: readonly number[]): void {
  if (content.length !== data.byteLength) {
    throw invalidArgument(
      `Tensor of type ${dtype} and shape ${shapeText(shape)} needs ${data.byteLength} bytes of content, but has ${content.length}`,
    );
  }
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(content);
}

function fillFromValues(proto: TensorProto, dtype: DType, data: TypedArray): void {
  const field = valueField[dtype];
  if (field === undefined) throw internal(`No value field for type ${dtype}`);
  const values: readonly (number | bigint | boolean)[] = proto[field];
  const given = Math.min(values.length, data.length);
  if (given === 0) return;
  // Typed arrays of numbers take booleans as 0 and 1; those of bigint fields only ever meet bigints.
  const target = data as { [index: number]: number | bigint | boolean };
  for (let i = 0; i < given; i++) target[i] = values[i] ?? 0;
  const unit = dtype === 'complex64' || dtype === 'complex128' ? 2 : 1;
  for (let i = given; i < data.length; i++) target[i] = data[i - unit] ?? 0;
}

function variableSizeElements(proto: TensorProto, dtype: DType, count: number): Uint8Array[] | ResourceHandle[] {
  checkObjectCount(dtype, count);
  const content = proto.tensorContent.length > 0 ? readByteStrings(proto.tensorContent, count) : undefined;
  if (dtype === 'resource') return handles(proto, content, count);
  const values =
    content ?? (dtype === 'string' ? proto.stringVal : proto.variantVal.map((each) => toBinary(VariantTensorDataProtoSchema, each)));
  const last = values.at(-1) ?? new Uint8Array(0);
  return Array.from({ length: count }, (_, i) => values[i] ?? last);
}

/** Handles never repeat: those that are not given are empty ones. */
function handles(proto: TensorProto, content: readonly Uint8Array[] | undefined, count: number): ResourceHandle[] {
  const given = content?.map((bytes) => fromBinary(ResourceHandleProtoSchema, bytes)) ?? proto.resourceHandleVal;
  const empty = create(ResourceHandleProtoSchema);
  return Array.from({ length: count }, (_, i) => fromHandleProto(given[i] ?? empty));
}

function fromHandleProto(proto: ResourceHandleProto): ResourceHandle {
  return {
    device: proto.device,
    container: proto.container,
    name: proto.name,
    hashCode: proto.hashCode,
    typeName: proto.maybeTypeName,
  };
}

function toHandleProto(handle: ResourceHandle): ResourceHandleProto {
  return create(ResourceHandleProtoSchema, {
    device: handle.device,
    container: handle.container,
    name: handle.name,
    hashCode: handle.hashCode,
    maybeTypeName: handle.typeName,
  });
}

export function toShapeProto(shape: readonly number[]): TensorShapeProto {
  return create(TensorShapeProtoSchema, { dim: shape.map((size) => ({ size: BigInt(size) })) });
}

/** A tensor's shape must be known in full; no message is a scalar. */
function toShape(proto: TensorShapeProto | undefined): number[] {
  if (proto?.unknownRank) throw invalidArgument('A tensor must have a known rank');
  return (proto?.dim ?? []).map(({ size }) => {
    if (size < 0n || size > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidArgument(`A tensor cannot have a dimension of size ${size}`);
    return Number(size);
  });
}
