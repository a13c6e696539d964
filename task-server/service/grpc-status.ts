import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { GrpcPayloadContainerSchema } from '#proto/generated/tensorflow/payload_container_pb.ts';
import { Code, isDerived, StatusError, toCode } from '#proto/wire/status.ts';

const DETAILS_TRAILER = 'grpc-status-details-bin';
/** Key with which TensorFlow 2.x marks an error that only follows from another one. */
const DERIVED_PAYLOAD = 'type.googleapis.com/tensorflow.DerivedStatus';

/** gRPC carries the message in a header, whose size peers limit. */
const MAX_MESSAGE_BYTES = 3072;
const TRUNCATED = ' ... [truncated]';

/** A failed call as gRPC sends it. */
export function toGrpcStatus(error: StatusError): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const metadata = new Metadata();
  if (isDerived(error)) {
    const container = create(GrpcPayloadContainerSchema, { payloads: { [DERIVED_PAYLOAD]: new Uint8Array(0) } });
    metadata.set(DETAILS_TRAILER, Buffer.from(toBinary(GrpcPayloadContainerSchema, container)));
  }
  return { code: error.code, details: headerText(error.message), metadata };
}

/** A failed call as the caller sees it. */
export function fromGrpcStatus(error: ServiceError): StatusError {
  const code = isConnectionLost(error) ? Code.UNAVAILABLE : toCode(error.code);
  return new StatusError(code, error.details, { derived: hasDerivedPayload(error.metadata) });
}

/** What grpc-js calls an internal error of each call on it is the end of a connection. */
function isConnectionLost({ code, details }: ServiceError): boolean {
  return code === Code.INTERNAL && /internal client error: Session closed/.test(details);
}

function hasDerivedPayload(metadata: Metadata | undefined): boolean {
  const [details] = metadata?.get(DETAILS_TRAILER) ?? [];
  if (!(details instanceof Buffer)) return false;
  try {
    return DERIVED_PAYLOAD in fromBinary(GrpcPayloadContainerSchema, details).payloads;
  } catch (error) {
    // Servers of other kinds put other messages there; they then say nothing about derivedness.
    if (error instanceof Error) return false;
    throw error;
  }
}

function headerText(message: string): string {
  const bytes = new TextEncoder().encode(message);
  // Not the message as it came: half a surrogate pair, from cut text, cannot be put into a header.
  if (bytes.length <= MAX_MESSAGE_BYTES) return new TextDecoder().decode(bytes);
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE_BYTES - TRUNCATED.length));
  return kept.replace(/\uFFFD+$/, '') + TRUNCATED;
}
