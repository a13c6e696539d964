import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { internal, unimplemented } from '#proto/wire/status.ts';
import { type Rope, ropeOf } from './rope.ts';

export interface CallContext {
  /** Aborted when the caller cancels, goes away or runs out of time, and when the task stops; `reason` is a StatusError. */
  readonly signal: AbortSignal;
  /** Aborted once the connection that the call came over is gone; the same one for all its calls. Undefined on links. */
  readonly connection?: AbortSignal | undefined;
}

/** One RPC from bytes to bytes. Rejects with StatusError. Knows nothing of the transport. */
export interface UnaryMethod {
  readonly name: string;
  handle(request: Uint8Array, call: CallContext): Promise<Rope>;
}

/** An RPC whose messages go through the generated codec. */
export function unary<I extends DescMessage, O extends DescMessage>(
  name: string,
  schemas: { readonly request: I; readonly response: O },
  handle: (request: MessageShape<I>, call: CallContext) => Promise<MessageInitShape<O>>,
): UnaryMethod {
  return unaryEncoded(name, schemas.request, async (request, call) => {
    const response = await handle(request, call);
    return ropeOf(toBinary(schemas.response, create(schemas.response, response)));
  });
}

/** An RPC whose handler writes the response's bytes itself: those that carry large tensors. */
export function unaryEncoded<I extends DescMessage>(
  name: string,
  schema: I,
  handle: (request: MessageShape<I>, call: CallContext) => Promise<Rope>,
): UnaryMethod {
  return { name, handle: async (request, call) => handle(decode(schema, request), call) };
}

export function notServed(name: string, task: string): UnaryMethod {
  return {
    name,
    handle: () => Promise.reject(unimplemented(`${name} is not served by ${task}`)),
  };
}

function decode<I extends DescMessage>(schema: I, bytes: Uint8Array): MessageShape<I> {
  try {
    return fromBinary(schema, plainBytes(bytes));
  } catch (error) {
    throw internal(`Malformed ${schema.typeName}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Without Node's Buffer, whose views of parts would be Buffers too: string elements of tensors are such views. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
