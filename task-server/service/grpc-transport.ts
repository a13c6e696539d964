import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { StatusError } from '#proto/wire/status.ts';
import { channelOptions, dialTarget } from './channel.ts';
import { fromGrpcStatus } from './grpc-status.ts';
import { asBuffer, joined, type Rope } from './rope.ts';
import type { CallLimits, PendingCall, Transport } from './transport.ts';

/** Plain gRPC over a channel of its own. */
export class GrpcTransport implements Transport {
  readonly hasLink = false;
  readonly #address: string;
  readonly #noMetadata = new Metadata();
  #client: Client | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  /** `onMetadata` gets what the peer sends ahead of its answer. */
  start(path: string, request: Rope, { deadline }: CallLimits, onMetadata?: (metadata: Metadata) => void): PendingCall {
    this.#client ??= new Client(dialTarget(this.#address), credentials.createInsecure(), channelOptions);
    const { promise: response, resolve, reject } = openPromise<Buffer>();
    const options = deadline === undefined ? {} : { deadline };
    const call = this.#client.makeUnaryRequest(path, asBuffer, sameBytes, joined(request), this.#noMetadata, options, (error, bytes) => {
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
    this.#client?.close();
  }
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
