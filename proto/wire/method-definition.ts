import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';

/** How a method goes over gRPC, as servers of grpc-js want to have it. Responses are bytes already when they are handed over. */
export interface ServedMethod {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: MessageShape<DescMessage>) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => MessageShape<DescMessage>;
  readonly responseSerialize: (bytes: Uint8Array) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Uint8Array;
}

export function methodDefinition({ parent, name, input, methodKind }: DescMethod): ServedMethod {
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: false,
    responseStream: methodKind === 'server_streaming',
    requestSerialize: (message) => asBuffer(toBinary(input, message)),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: asBuffer,
    responseDeserialize: (bytes) => bytes,
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
