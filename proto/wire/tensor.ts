import { type DType, dtypeSize } from './dtype.ts';
import { sharedMemory } from './shared-memory.ts';
import { invalidArgument, resourceExhausted, type StatusError } from './status.ts';

/** A handle to a stateful object (variable, queue) that lives on one device of one task. Opaque to everybody else. */
export interface ResourceHandle {
  readonly device: string;
  readonly container: string;
  readonly name: string;
  /** Hash of the C++ type in a genuine TensorFlow process; 0n when it is ours. Passed on unchanged. */
  readonly hashCode: bigint;
  readonly typeName: string;
}

/** What holds the elements of a tensor of each type, in row-major order. Complex numbers are interleaved re, im. */
export interface DataByType {
  float: Float32Array;
  double: Float64Array;
  int32: Int32Array;
  uint8: Uint8Array;
  int16: Int16Array;
  int8: Int8Array;
  string: Uint8Array[];
  complex64: Float32Array;
  int64: BigInt64Array;
  /** 0 or 1 */
  bool: Uint8Array;
  qint8: Int8Array;
  quint8: Uint8Array;
  qint32: Int32Array;
  /** raw bit patterns */
  bfloat16: Uint16Array;
  qint16: Int16Array;
  quint16: Uint16Array;
  uint16: Uint16Array;
  complex128: Float64Array;
  /** raw bit patterns */
  half: Uint16Array;
  resource: ResourceHandle[];
  /** serialized VariantTensorDataProto, not looked into */
  variant: Uint8Array[];
  uint32: Uint32Array;
  uint64: BigUint64Array;
}

/**
 * A value. Immutable by agreement: nobody writes to `data` after the tensor has been handed on, so a fetch is a snapshot
 * and a transfer in flight never sees a later write.
 */
export interface Tensor<D extends DType = DType> {
  readonly dtype: D;
  /** Sizes of the dimensions, outermost first; empty for a scalar. */
  readonly shape: readonly number[];
  readonly data: DataByType[D];
}

export type TypedArray = Exclude<DataByType[DType], Uint8Array[] | ResourceHandle[]>;

interface NumericConstructor {
  new (length: number): TypedArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
}

const constructors: Readonly<Partial<Record<DType, NumericConstructor>>> = {
  float: Float32Array,
  double: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int8: Int8Array,
  complex64: Float32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  qint8: Int8Array,
  quint8: Uint8Array,
  qint32: Int32Array,
  bfloat16: Uint16Array,
  qint16: Int16Array,
  quint16: Uint16Array,
  uint16: Uint16Array,
  complex128: Float64Array,
  half: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
};

/** Memory for elements of this size or more is shared, so that a device thread works on it without a copy. */
export const SHARED_BYTES = 64 * 1024;

/** Product of the dimensions: 1 for a scalar, 0 when any dimension is 0. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const dim of shape) size *= dim;
  return size;
}

/** More in one tensor is taken for a mistake in a shape: it would take the machine's memory, and the task with it. */
const MAX_BYTES = 2 ** 32;
/** V8 keeps longer arrays as hash tables, which fill the heap and so end the process. */
const MAX_OBJECTS = 2 ** 25;

/**
 * Zeroed storage for `count` elements of a type (two numbers each for complex types; empty strings for string).
 * RESOURCE_EXHAUSTED when that is more than a tensor may have, or than there is.
 */
export function allocate<D extends DType>(dtype: D, count: number): DataByType[D] {
  const view = constructors[dtype];
  if (!view) return emptyElements(dtype, count) as DataByType[D];
  const bytes = count * dtypeSize(dtype);
  if (bytes >= SHARED_BYTES && typeof SharedArrayBuffer === 'function') return new view(memoryFor(dtype, bytes)) as DataByType[D];
  // By length, not over a buffer of its own: five times as fast for the scalars that most steps are made of.
  return new view(dtype === 'complex64' || dtype === 'complex128' ? 2 * count : count) as DataByType[D];
}

function memoryFor(dtype: DType, bytes: number): SharedArrayBuffer {
  if (bytes > MAX_BYTES) throw tooLarge(dtype, `${bytes} bytes`, `the limit is ${MAX_BYTES} bytes`);
  try {
    return sharedMemory(bytes);
  } catch (error) {
    throw tooLarge(dtype, `${bytes} bytes`, error instanceof Error ? error.message : String(error));
  }
}

function emptyElements(dtype: DType, count: number): Uint8Array[] | ResourceHandle[] {
  checkObjectCount(dtype, count);
  if (dtype === 'resource') {
    return Array.from({ length: count }, () => ({ device: '', container: '', name: '', hashCode: 0n, typeName: '' }));
  }
  return new Array<Uint8Array>(count).fill(new Uint8Array(0));
}

/** RESOURCE_EXHAUSTED for more elements than a tensor of strings, resources or variants may have. */
export function checkObjectCount(dtype: DType, count: number): void {
  if (count > MAX_OBJECTS) throw tooLarge(dtype, `${count} elements`, `the limit for this type is ${MAX_OBJECTS} elements`);
}

function tooLarge(dtype: DType, size: string, reason: string): StatusError {
  return resourceExhausted(`OOM when allocating a tensor of type ${dtype} with ${size}: ${reason}`);
}

/** A typed view of raw little-endian bytes; `bytes` must be aligned for the type and hold whole elements. */
export function viewBytes<D extends DType>(dtype: D, bytes: Uint8Array): DataByType[D] {
  const view = constructors[dtype];
  if (!view) throw invalidArgument(`Elements of type ${dtype} have no fixed size`);
  const width = dtype === 'complex64' ? 4 : dtype === 'complex128' ? 8 : dtypeSize(dtype);
  return new view(bytes.buffer, bytes.byteOffset, bytes.byteLength / width) as DataByType[D];
}

/** The raw bytes behind a tensor of a fixed-size type, without a copy. */
export function bytesOf(tensor: Tensor): Uint8Array {
  const data = tensor.data;
  if (Array.isArray(data)) throw invalidArgument(`Elements of type ${tensor.dtype} have no fixed size`);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** A tensor over existing elements; throws INVALID_ARGUMENT when their number does not fit the shape. */
export function makeTensor<D extends DType>(dtype: D, shape: readonly number[], data: DataByType[D]): Tensor<D> {
  const perElement = dtype === 'complex64' || dtype === 'complex128' ? 2 : 1;
  if (data.length !== sizeOf(shape) * perElement) {
    throw invalidArgument(`Shape [${shape}] has ${sizeOf(shape)} elements, but ${data.length / perElement} were given`);
  }
  return { dtype, shape, data };
}

/** A new zeroed tensor; the caller may fill `data` before handing it on. */
export function zeros<D extends DType>(dtype: D, shape: readonly number[]): Tensor<D> {
  return { dtype, shape, data: allocate(dtype, sizeOf(shape)) };
}

export function isTensorOf<D extends DType>(tensor: Tensor, dtype: D): tensor is Tensor<D> {
  return tensor.dtype === dtype;
}

/** Bytes that the elements occupy in memory; for strings the sum of their lengths. */
export function byteLength(tensor: Tensor): number {
  const data = tensor.data;
  if (!Array.isArray(data)) return data.byteLength;
  let total = 0;
  for (const element of data) if (element instanceof Uint8Array) total += element.byteLength;
  return total;
}

/** `[2,3]`, the way TensorFlow prints shapes in its messages. */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.join(',')}]`;
}
