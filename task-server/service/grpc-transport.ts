import type { SecureContext } from 'node:tls';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { SecureDial } from '#proto/trust/dialler.ts';
import type { StatusError } from '#proto/wire/status.ts';
import { channelOptions, dialTarget } from './channel.ts';
import { fromGrpcStatus } from './grpc-status.ts';
import { asBuffer, joined, type Rope } from './rope.ts';
import type { CallLimits, PendingCall, Transport } from './transport.ts';

/** Plain gRPC over a channel of its own. */
export class GrpcTransport implements Transport {
  readonly hasLink = false;
  readonly #address: string;
  readonly #secure: () => SecureDial | undefined;
  readonly #noMetadata = new Metadata();
  #open: { readonly client: Client; readonly context: SecureContext | undefined } | undefined;

  /** In plain text unless `secure` says how; it is asked again for every call, because certificates are replaced. */
  constructor(address: string, secure: () => SecureDial | undefined = () => undefined) {
    this.#address = address;
    this.#secure = secure;
  }

  /** `onMetadata` gets what the peer sends ahead of its answer. */
  start(path: string, request: Rope, { deadline }: CallLimits, onMetadata?: (metadata: Metadata) => void): PendingCall {
    const client = this.#client();
    const { promise: response, resolve, reject } = openPromise<Buffer>();
    const options = deadline === undefined ? {} : { deadline };
    const call = client.makeUnaryRequest(path, asBuffer, sameBytes, joined(request), this.#noMetadata, options, (error, bytes) => {
      if (error) reject(fromGrpcStatus(error));
      else resolve(bytes ?? Buffer.alloc(0));
    });
    if (onMetadata) call.on('metadata', onMetadata);
    return {
      response,
      cancel(reason) {
        reject(reason);
        // Not in the tick in which the call starts: grpc-js would send it all the same, and nobody would ever cancel it.
        setImmediate(() => call.cancel());
      },
    };
  }

  close(): void {
    this.#open?.client.close();
  }

  /** Calls that are under way when a certificate is replaced end on the old connection. */
  #client(): Client {
    const secure = this.#secure();
    const context = secure?.secureContext;
    if (this.#open && this.#open.context === context) return this.#open.client;
    this.#open?.client.close();
    const client = openClient(dialTarget(this.#address), secure);
    this.#open = { client, context };
    return client;
  }
}

function openClient(target: string, secure: SecureDial | undefined): Client {
  if (!secure) return new Client(target, credentials.createInsecure(), channelOptions);
  const { secureContext, servername, checkServerIdentity } = secure;
  const tls = credentials.createFromSecureContext(secureContext, { checkServerIdentity });
  return new Client(target, tls, { ...channelOptions, 'grpc.ssl_target_name_override': servername });
}

function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}

function openPromise<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: StatusError) => void } {
  let resolve = (_: T): void => {};
  let reject = (_: StatusError): void => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
