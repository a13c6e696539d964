import { create, type DescMessage, type DescMethodUnary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { handleUnaryCall, Metadata } from '@grpc/grpc-js';
import { toStatusError } from '#proto/wire/status.ts';
import { toGrpcStatus } from '../../service/grpc-status.ts';

/** One unary call from message to message. */
export interface RpcMethod {
  readonly descriptor: DescMethodUnary;
  handle(request: never): Promise<unknown>;
}

export interface AnswerEnv {
  /** Lets a call pass, or throws PERMISSION_DENIED. */
  readonly authorize: (metadata: Metadata) => void;
  readonly onCall: (method: string) => void;
  /** In one line, what came of a call that failed. */
  readonly onFailure: (line: string) => void;
}

export function rpcMethod<M extends DescMethodUnary>(
  descriptor: M,
  handle: (request: MessageShape<M['input']>) => Promise<MessageInitShape<M['output']>>,
): RpcMethod {
  return { descriptor, handle };
}

export function answer(
  { descriptor: { name, output }, handle }: RpcMethod,
  { authorize, onCall, onFailure }: AnswerEnv,
): handleUnaryCall<MessageShape<DescMessage>, Uint8Array> {
  return async (call, callback) => {
    try {
      authorize(call.metadata);
      onCall(name);
      // Handler and descriptor of one method belong together.
      const response = (await handle(call.request as never)) as MessageShape<DescMessage>;
      callback(null, toBinary(output, create(output, response)));
    } catch (thrown) {
      const error = toStatusError(thrown);
      onFailure(`${name} failed: ${error.codeName}: ${error.message}`);
      callback(toGrpcStatus(error));
    }
  };
}
