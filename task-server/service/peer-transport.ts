import type { Metadata } from '@grpc/grpc-js';
import type { SecureDial } from '#proto/trust/dialler.ts';
import { Code, toStatusError } from '#proto/wire/status.ts';
import { SHARED_BYTES } from '#proto/wire/tensor.ts';
import { GrpcTransport } from './grpc-transport.ts';
import { LINK_METADATA_KEY, LINK_VERSION } from './link/frame.ts';
import type { PeerLinks } from './peer-links.ts';
import { type Rope, ropeOf } from './rope.ts';
import type { TaskAddress } from './task-client.ts';
import type { CallLimits, PendingCall, Transport } from './transport.ts';

export interface Peer extends TaskAddress {
  /** How gRPC is dialled; in plain text by default. */
  readonly secure?: (() => SecureDial | undefined) | undefined;
}

const PROBE_TIMEOUT_MS = 5000;

/**
 * gRPC until the peer has said that it has the link (its answers to GetStatus do), then the link for as long as it holds. A
 * task that restarts, as another engine perhaps, breaks the link, so gRPC finds out anew what it is.
 */
export class PeerTransport implements Transport {
  readonly #task: string;
  readonly #links: PeerLinks;
  readonly #statusPath: string;
  readonly #grpc: GrpcTransport;
  /** Nothing more is to be found out about the peer until it is lost. */
  #isSettled = false;

  /** `service` has the GetStatus by which peers are recognised. */
  constructor({ task, address, secure }: Peer, service: string, links: PeerLinks) {
    this.#task = task;
    this.#links = links;
    this.#statusPath = `/${service}/GetStatus`;
    this.#grpc = new GrpcTransport(address, secure);
  }

  get hasLink(): boolean {
    return this.#links.to(this.#task) !== undefined;
  }

  start(path: string, request: Rope, limits: CallLimits): PendingCall {
    const link = this.#links.to(this.#task, request.size >= SHARED_BYTES);
    if (link) {
      this.#isSettled = false;
      return link.call(path.slice(path.lastIndexOf('/') + 1), request, limits);
    }
    return path === this.#statusPath ? this.#getStatus(request, limits) : this.#plainCall(path, request, limits);
  }

  close(): void {
    this.#grpc.close();
  }

  #plainCall(path: string, request: Rope, limits: CallLimits): PendingCall {
    const { response, cancel } = this.#grpc.start(path, request, limits);
    response.then(
      () => this.#recognise(),
      (error) => this.#forgetLost(error),
    );
    return { response, cancel };
  }

  /** With the answer the link is there, so that all that follows takes it. */
  #getStatus(request: Rope, limits: CallLimits): PendingCall {
    let hasLink = false;
    const { response, cancel } = this.#grpc.start(this.#statusPath, request, limits, (metadata: Metadata) => {
      hasLink = metadata.get(LINK_METADATA_KEY).includes(LINK_VERSION);
    });
    const recognised = response.then(async (status) => {
      this.#isSettled = true;
      if (hasLink && !this.hasLink) await this.#links.dial(this.#task);
      return status;
    });
    return { response: recognised, cancel };
  }

  /** In the background: nobody waits for the outcome. */
  #recognise(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { response } = this.#getStatus(ropeOf(new Uint8Array(0)), { deadline: Date.now() + PROBE_TIMEOUT_MS });
    response.catch(() => {
      this.#isSettled = false;
    });
  }

  #forgetLost(error: unknown): void {
    if (toStatusError(error).code === Code.UNAVAILABLE) this.#isSettled = false;
  }
}
