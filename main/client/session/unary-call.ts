import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { tlsFailure } from '#proto/trust/tls-failure.ts';
import { cancelled, deadlineExceeded, StatusError, toCode } from '#proto/wire/status.ts';

/** One method of a service: its path and the messages that go there and back. */
export interface UnaryMethod<I extends DescMessage, O extends DescMessage> {
  readonly path: string;
  readonly request: I;
  readonly response: O;
}

export interface CallOptions {
  /** Aborting cancels the call, on the server too; it then rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** The call rejects with DEADLINE_EXCEEDED after this time; 0 or nothing: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Wait for the server to come up instead of failing with UNAVAILABLE. */
  readonly waitForReady?: boolean;
}

/** Calls one method on a channel. All failures are StatusErrors that name the method and the address. */
export function unaryCall<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: UnaryMethod<I, O>,
  request: MessageInitShape<I>,
  { signal, timeoutMs, waitForReady = false }: CallOptions = {},
): Promise<MessageShape<O>> {
  const name = method.path.slice(method.path.lastIndexOf('/') + 1);
  const address = client.getChannel().getTarget().replace(/^dns:/, '');
  return new Promise((resolve, reject) => {
    const aborted = (): StatusError => cancelled(`${name} on ${address} was cancelled by the caller`, { cause: signal?.reason });
    if (signal?.aborted) return reject(aborted());
    const call = client.makeUnaryRequest(
      method.path,
      (message: MessageShape<I>) => asBuffer(toBinary(method.request, message)),
      (bytes: Buffer) => fromBinary(method.response, bytes),
      create(method.request, request),
      new Metadata({ waitForReady }),
      timeoutMs ? { deadline: Date.now() + timeoutMs } : {},
      (error, response) => {
        signal?.removeEventListener('abort', cancel);
        if (!error && response) return resolve(response);
        reject(signal?.aborted ? aborted() : fromServiceError(error, { name, address, timeoutMs }));
      },
    );
    // Not in the tick in which the call starts: grpc-js would send it all the same, and nobody would ever cancel it.
    const cancel = (): void => void setImmediate(() => call.cancel());
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

interface Where {
  readonly name: string;
  readonly address: string;
  readonly timeoutMs: number | undefined;
}

function fromServiceError(error: ServiceError | null, { name, address, timeoutMs }: Where): StatusError {
  const code = isConnectionLost(error) ? status.UNAVAILABLE : toCode(error?.code ?? status.INTERNAL);
  if (code === status.DEADLINE_EXCEEDED) {
    return deadlineExceeded(`Deadline Exceeded: ${name} on ${address} did not finish within ${timeoutMs ?? 0} ms`, { cause: error });
  }
  const details = error?.details || 'no message';
  const refused = code === status.UNAVAILABLE ? tlsFailure(details) : undefined;
  const text = refused === undefined ? details : `no TLS connection: ${refused}`;
  // The server is not there, so the text is gRPC's own and lacks the address.
  return new StatusError(code, code === status.UNAVAILABLE ? `${text} (${name} on ${address})` : text, { cause: error });
}

/** What grpc-js calls an internal error of each call on it is the end of a connection. */
function isConnectionLost(error: ServiceError | null): boolean {
  return error?.code === status.INTERNAL && /internal client error: Session closed/.test(error.details);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
