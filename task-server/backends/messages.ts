import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { Attrs } from '#proto/wire/attr.ts';
import { counted, sharedMemory } from '#proto/wire/shared-memory.ts';
import { type Code, StatusError, toStatusError } from '#proto/wire/status.ts';
import { bytesOf, SHARED_BYTES, type Tensor, type TypedArray, viewBytes } from '#proto/wire/tensor.ts';
import type { PureCall } from '../engine/device.ts';

/** A pure call on its way to a device thread or device process: plain data only. */
export interface CallMessage {
  readonly op: string;
  readonly node: string;
  readonly values: Readonly<Record<string, AttrValue>>;
  readonly inputs: readonly Tensor[];
}

/** What a device thread says. A thread gets one call at a time and answers it once, by `done` or `failed`. */
export type ThreadMessage =
  | { readonly kind: 'done'; readonly outputs: readonly Tensor[] }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'log'; readonly text: string }
  /** Sent once by a thread that was asked to look for its GPU. */
  | { readonly kind: 'device'; readonly hasGpu: boolean };

export interface PlainError {
  readonly code: Code;
  readonly message: string;
  readonly derived: boolean;
  readonly details: Readonly<Record<string, string>>;
}

export function packCall({ op, node, attrs, inputs }: PureCall): CallMessage {
  return { op, node, values: attrs.values, inputs: inputs.map(pack) };
}

export function unpackCall({ op, node, values, inputs }: CallMessage): PureCall {
  return { op, node, attrs: new Attrs(values, node), inputs: arrived(inputs) };
}

/** Tensors that have come from another thread, once this thread's collector knows what they hold. */
export function arrived(tensors: readonly Tensor[]): readonly Tensor[] {
  for (const { data } of tensors) if (!Array.isArray(data) && isShared(data.buffer)) counted(data.buffer);
  return tensors;
}

export function packError(error: unknown): PlainError {
  const { code, message, derived, details } = toStatusError(error);
  return { code, message, derived, details };
}

export function unpackError({ code, message, derived, details }: PlainError): StatusError {
  return new StatusError(code, message, { derived, details });
}

/**
 * The tensor in the form that is cheapest to post: large elements in shared memory, where the receiver reads them in
 * place; small ones cut out of whatever buffer they are a view of, because a posted view takes its whole buffer along.
 */
export function pack(tensor: Tensor): Tensor {
  const { dtype, data } = tensor;
  if (!Array.isArray(data)) return isCompact(data) ? tensor : { ...tensor, data: viewBytes(dtype, compact(bytesOf(tensor))) };
  if (dtype === 'resource') return tensor;
  return { ...tensor, data: (data as Uint8Array[]).map((bytes) => (isCompact(bytes) ? bytes : new Uint8Array(bytes))) };
}

function isCompact({ buffer, byteLength }: TypedArray): boolean {
  return isShared(buffer) || (byteLength === buffer.byteLength && byteLength < SHARED_BYTES);
}

function compact(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < SHARED_BYTES) return new Uint8Array(bytes);
  const shared = new Uint8Array(sharedMemory(bytes.byteLength));
  shared.set(bytes);
  return shared;
}

function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return buffer instanceof SharedArrayBuffer;
}
