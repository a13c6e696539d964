import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { type CodeName, codeName } from '#proto/wire/status.ts';

export interface Answer {
  readonly code: CodeName;
  readonly message: string;
  /** Empty unless the code is OK. */
  readonly bytes: Uint8Array;
}

/** A way to a task. Whatever it does is an answer; nothing rejects. */
export interface Caller {
  call(path: string, request: Uint8Array, timeoutMs: number): Promise<Answer>;
  dispose(): void;
}

/** Calls of any path with any bytes over gRPC. */
export class RawClient implements Caller {
  readonly #client: Client;

  constructor(target: string) {
    this.#client = new Client(target.replace('grpc://', ''), credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.enable_http_proxy': 0,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  call(path: string, request: Uint8Array, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        path,
        (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        (bytes: Buffer) => bytes,
        request,
        new Metadata(),
        { deadline: Date.now() + timeoutMs },
        (error, bytes) => {
          const code = codeName(error?.code ?? status.OK);
          resolve({ code, message: error?.details ?? '', bytes: bytes ?? new Uint8Array(0) });
        },
      );
    });
  }

  dispose(): void {
    this.#client.close();
  }
}
