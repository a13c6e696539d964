import { tlsFailure } from '#proto/trust/tls-failure.ts';
import { Code, cancelled, type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { CallOptions } from '../worker/worker-interface.ts';
import { retryUnavailable } from './backoff.ts';
import { LivenessProbe } from './liveness-probe.ts';
import { type Rope, ropeOf } from './rope.ts';
import type { CallLimits, Transport } from './transport.ts';

export interface TaskAddress {
  /** `/job:ps/replica:0/task:0`, for messages. */
  readonly task: string;
  /** `host:port` */
  readonly address: string;
}

export interface PeerCallOptions extends CallOptions {
  /** See `CallLimits`. */
  readonly isNotice?: boolean;
}

/** While a try has no outcome, `onWait` hears so this often. */
const SILENCE_MS = 5000;

/**
 * Calls to one other task: fail-fast unless told to wait, with errors that name task, address and method.
 */
export class TaskClient {
  readonly #peer: TaskAddress;
  readonly #service: string;
  readonly #transport: Transport;
  readonly #liveness: LivenessProbe;

  /** Owns the transport. */
  constructor(peer: TaskAddress, service: string, transport: Transport) {
    this.#peer = peer;
    this.#service = service;
    this.#transport = transport;
    this.#liveness = new LivenessProbe({ probe: (timeoutMs) => this.#probe(timeoutMs) });
  }

  /** See `Transport`. */
  get hasLink(): boolean {
    return this.#transport.hasLink;
  }

  async call(method: string, request: Rope, options: PeerCallOptions = {}): Promise<Buffer> {
    const deadline = options.timeoutMs === undefined ? undefined : Date.now() + options.timeoutMs;
    const once = () => this.#once(method, request, { ...options, deadline });
    return options.waitForReady ? retryUnavailable(once, options) : once();
  }

  /** Ends the calls under way. */
  dispose(): void {
    this.#liveness.dispose(cancelled(`The connection to ${this.#peer.task} was closed`));
    this.#transport.close();
  }

  async #once(method: string, request: Rope, { signal, onWait, ...limits }: PeerCallOptions & CallLimits): Promise<Buffer> {
    if (signal?.aborted) throw toStatusError(signal.reason);
    const call = this.#transport.start(`/${this.#service}/${method}`, request, limits);
    const cancel = () => call.cancel(toStatusError(signal?.reason));
    signal?.addEventListener('abort', cancel);
    const unwatch = this.#liveness.watch(call.cancel);
    const silence = onWait ? setInterval(() => onWait(this.#silent()), SILENCE_MS) : undefined;
    try {
      return await call.response;
    } catch (error) {
      if (signal?.aborted) throw toStatusError(signal.reason);
      throw this.#decorated(toStatusError(error), method);
    } finally {
      clearInterval(silence);
      unwatch();
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #probe(timeoutMs: number): Promise<StatusError | undefined> {
    try {
      const limits = { deadline: Date.now() + timeoutMs };
      await this.#transport.start(`/${this.#service}/GetStatus`, ropeOf(new Uint8Array(0)), limits).response;
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
    const reason = tlsFailure(message) ?? connectFailures.find(({ pattern }) => pattern.test(message))?.text;
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
