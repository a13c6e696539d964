import {
  create,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type ChannelOptions, Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { SecureDial } from '#proto/trust/dialler.ts';
import { tlsFailure } from '#proto/trust/tls-failure.ts';
import { Code, cancelled, deadlineExceeded, StatusError, toCode } from '#proto/wire/status.ts';

export interface RpcTarget {
  /** As grpc-js dials it: `unix:/path`, `dns:host:port`. */
  readonly target: string;
  /** Name for messages: `the agent of lab-3`. */
  readonly name: string;
  /** Sent with every call. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** By TLS, to this peer; in plain text otherwise. */
  readonly secure?: SecureDial;
  /** The largest message that is taken; any, from those who are trusted. */
  readonly maxBytes?: number;
}

export interface RpcOptions {
  readonly signal?: AbortSignal | undefined;
  /** DEADLINE_EXCEEDED after this time. */
  readonly timeoutMs?: number | undefined;
}

/** An agent is never behind a proxy, and is dialled again at once when it is there again. */
const channelOptions: ChannelOptions = {
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.enable_retries': 0,
};

/** A machine that is gone without a word is noticed within three seconds. */
const overLan: ChannelOptions = {
  'grpc.keepalive_time_ms': 2000,
  'grpc.keepalive_timeout_ms': 1000,
  'grpc.keepalive_permit_without_calls': 1,
};

/** A connection to one agent; all failures are StatusErrors. */
export class Rpc {
  readonly #target: RpcTarget;
  readonly #client: Client;

  constructor(target: RpcTarget) {
    this.#target = target;
    this.#client = openClient(target);
  }

  unary<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M['input']>,
    { signal, timeoutMs }: RpcOptions = {},
  ): Promise<MessageShape<M['output']>> {
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settled();
      };
      const call = this.#client.makeUnaryRequest(
        pathOf(method),
        asBuffer,
        // The descriptor's output is that of M, which TypeScript widens.
        (bytes: Buffer) => fromBinary(method.output, bytes) as MessageShape<M['output']>,
        toBinary(method.input, create(method.input, request)),
        this.#metadata(),
        (error, response) => settle(() => (error || !response ? reject(this.#failure(error, method.name)) : resolve(response))),
      );
      const end = (reason: StatusError): void => {
        settle(() => reject(reason));
        // Not in the tick in which the call starts: grpc-js would send it all the same.
        setImmediate(() => call.cancel());
      };
      const abort = (): void => end(cancelled(`${method.name} was cancelled`, { cause: signal?.reason }));
      // A timer of our own: a gRPC deadline is a time of the wall's clock, which jumps when a machine wakes up.
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(this.#late(method.name, timeoutMs)), timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  /** Hears messages until the signal aborts, when it resolves; rejects when the stream ends otherwise. */
  stream<M extends DescMethodServerStreaming>(
    method: M,
    request: MessageInitShape<M['input']>,
    { signal, onMessage }: { readonly signal: AbortSignal; readonly onMessage: (message: MessageShape<M['output']>) => void },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeServerStreamRequest(
        pathOf(method),
        asBuffer,
        (bytes: Buffer) => fromBinary(method.output, bytes),
        toBinary(method.input, create(method.input, request)),
        this.#metadata(),
      );
      const settle = (settled: () => void): void => {
        signal.removeEventListener('abort', abort);
        settled();
      };
      const abort = (): void => {
        settle(resolve);
        setImmediate(() => call.cancel());
      };
      const fail = (error: ServiceError | null): void =>
        settle(() => (signal.aborted ? resolve() : reject(this.#failure(error, method.name))));
      call.on('data', onMessage);
      call.on('error', fail);
      call.on('end', () => fail(null));
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  close(): void {
    this.#client.close();
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(this.#target.metadata ?? {})) metadata.set(key, value);
    return metadata;
  }

  #failure(error: ServiceError | null, method: string): StatusError {
    const { name } = this.#target;
    if (!error) return new StatusError(Code.UNAVAILABLE, `${name} has ended`);
    // Such an end of the connection is what grpc-js calls an internal error of each call on it.
    const isLost = error.code === Code.UNAVAILABLE || /Session closed|Connection dropped/.test(error.details);
    if (isLost) {
      const reason = tlsFailure(error.details) ?? `${error.details} (${method})`;
      return new StatusError(Code.UNAVAILABLE, `${name} does not answer: ${reason}`, { cause: error });
    }
    return new StatusError(toCode(error.code), error.details || 'no message', { cause: error });
  }

  #late(method: string, timeoutMs: number): StatusError {
    return deadlineExceeded(`${this.#target.name} did not answer ${method} within ${timeoutMs / 1000} s`);
  }
}

function openClient({ target, secure, maxBytes = -1 }: RpcTarget): Client {
  const options = { ...channelOptions, 'grpc.max_receive_message_length': maxBytes };
  if (!secure) return new Client(target, credentials.createInsecure(), options);
  const { secureContext, servername, checkServerIdentity } = secure;
  const tls = credentials.createFromSecureContext(secureContext, { checkServerIdentity });
  return new Client(target, tls, { ...options, ...overLan, 'grpc.ssl_target_name_override': servername });
}

function pathOf({ parent, name }: DescMethodUnary | DescMethodServerStreaming): string {
  return `/${parent.typeName}/${name}`;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
