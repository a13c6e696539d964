import { Client, type ClientUnaryCall, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { Code, cancelled, type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { CallOptions } from '../worker/worker-interface.ts';
import { retryUnavailable } from './backoff.ts';
import { channelOptions, dialTarget } from './channel.ts';
import { fromGrpcStatus } from './grpc-status.ts';
import { LivenessProbe } from './liveness-probe.ts';

export interface TaskAddress {
  /** `/job:ps/replica:0/task:0`, for messages. */
  readonly task: string;
  /** `host:port` */
  readonly address: string;
}

export interface CallLimits {
  readonly signal?: AbortSignal | undefined;
  /** Unix epoch, milliseconds. */
  readonly deadline?: number | undefined;
}

/** One try of one RPC; rejects with StatusError, or with the signal's reason. */
export type Attempt = (path: string, request: Uint8Array, limits: CallLimits) => Promise<Buffer>;

/** While a try has no outcome, `onWait` hears so this often. */
const SILENCE_MS = 5000;

/**
 * Calls to one other task over one connection: fail-fast unless told to wait, with errors that name task, address and method.
 * Dials at the first call.
 */
export class TaskClient {
  readonly #peer: TaskAddress;
  readonly #service: string;
  readonly #attempt: Attempt;
  readonly #liveness: LivenessProbe;
  readonly #close: () => void;

  /** `attempt` replaces the network in tests. */
  constructor(peer: TaskAddress, service: string, attempt?: Attempt) {
    this.#peer = peer;
    this.#service = service;
    const transport = attempt ? { attempt, close: () => undefined } : grpcTransport(peer.address);
    this.#attempt = transport.attempt;
    this.#close = transport.close;
    this.#liveness = new LivenessProbe({ probe: (timeoutMs) => this.#probe(timeoutMs) });
  }

  async call(method: string, request: Uint8Array, options: CallOptions = {}): Promise<Buffer> {
    const deadline = options.timeoutMs === undefined ? undefined : Date.now() + options.timeoutMs;
    const once = () => this.#once(method, request, { ...options, deadline });
    return options.waitForReady ? retryUnavailable(once, options) : once();
  }

  /** Ends the calls under way. */
  dispose(): void {
    this.#liveness.dispose(cancelled(`The connection to ${this.#peer.task} was closed`));
    this.#close();
  }

  async #once(method: string, request: Uint8Array, options: CallOptions & { deadline: number | undefined }): Promise<Buffer> {
    const { signal, deadline, onWait } = options;
    const ended = new AbortController();
    const cancel = () => ended.abort(toStatusError(signal?.reason));
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const unwatch = this.#liveness.watch((error) => ended.abort(error));
    const silence = onWait ? setInterval(() => onWait(this.#silent()), SILENCE_MS) : undefined;
    try {
      return await this.#attempt(`/${this.#service}/${method}`, request, { signal: ended.signal, deadline });
    } catch (error) {
      if (signal?.aborted) throw ended.signal.reason;
      throw this.#decorated(toStatusError(error), method);
    } finally {
      clearInterval(silence);
      unwatch();
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #probe(timeoutMs: number): Promise<StatusError | undefined> {
    try {
      await this.#attempt(`/${this.#service}/GetStatus`, new Uint8Array(0), { deadline: Date.now() + timeoutMs });
      return undefined;
    } catch (error) {
      if (toStatusError(error).code !== Code.DEADLINE_EXCEEDED) return undefined;
      const { task, address } = this.#peer;
      return unavailable(`${task} at ${address} does not answer: no sign of life for ${timeoutMs / 1000} s`);
    }
  }

  #silent(): StatusError {
    return unavailable(`no answer yet from ${this.#peer.task} at ${this.#peer.address}`);
  }

  #decorated(error: StatusError, method: string): StatusError {
    const { task, address } = this.#peer;
    const facts = JSON.stringify({ grpc_status: error.code, peer: address });
    return error.withMessage(
      `${this.#connectionText(error)}\nAdditional GRPC error information from remote target ${task} ` +
        `while calling /${this.#service}/${method}:\n:${facts}`,
    );
  }

  /** Failures of the connection itself in words; what the peer answered stays as it is. */
  #connectionText({ code, message }: StatusError): string {
    if (code !== Code.UNAVAILABLE) return message;
    const { task, address } = this.#peer;
    const reason = connectFailures.find(({ pattern }) => pattern.test(message))?.text;
    if (reason) return `failed to connect to ${task} at ${address}: ${reason}`;
    const isLost = /Connection dropped|ECONNRESET|EPIPE|Stream closed|RST_STREAM|socket hang up|Write error/i.test(message);
    return isLost ? `lost the connection to ${task} at ${address}: ${message}` : message;
  }
}

/** grpc-js's wordings of a failed attempt to connect, as a user would say them. The first that matches counts. */
const connectFailures: readonly { pattern: RegExp; text: string }[] = [
  { pattern: /ECONNREFUSED/, text: 'Connection refused' },
  { pattern: /Name resolution failed|ENOTFOUND|EAI_AGAIN/, text: 'the host name is not known' },
  { pattern: /ETIMEDOUT|timed out/i, text: 'Connection timed out' },
  { pattern: /EHOSTUNREACH|ENETUNREACH/, text: 'No route to host' },
  { pattern: /No connection established/, text: 'Connection closed by the peer' },
];

function grpcTransport(address: string): { attempt: Attempt; close(): void } {
  let client: Client | undefined;
  const metadata = new Metadata();
  const attempt: Attempt = (path, request, { signal, deadline }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(toStatusError(signal.reason));
        return;
      }
      client ??= new Client(dialTarget(address), credentials.createInsecure(), channelOptions);
      let call: ClientUnaryCall | undefined;
      const cancel = () => {
        reject(toStatusError(signal?.reason));
        // Not in the tick in which the call starts: grpc-js would send it all the same, and nobody would ever cancel it.
        setImmediate(() => call?.cancel());
      };
      const settle = (error: ServiceError | null, response?: Buffer) => {
        signal?.removeEventListener('abort', cancel);
        if (error) reject(fromGrpcStatus(error));
        else resolve(response ?? Buffer.alloc(0));
      };
      call = client.makeUnaryRequest(
        path,
        asBuffer,
        (bytes) => bytes,
        request,
        metadata,
        deadline === undefined ? {} : { deadline },
        settle,
      );
      signal?.addEventListener('abort', cancel, { once: true });
    });
  return { attempt, close: () => client?.close() };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
