import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import * as pb from '#proto/generated/tensorflow/master_pb.ts';
import { StatusError, toCode } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';

export interface StepInit {
  readonly feeds?: Readonly<Record<string, Tensor>>;
  readonly fetches?: readonly string[];
  readonly targets?: readonly string[];
  readonly signal?: AbortSignal;
}

/** The master service as the wire has it, without a client library in between. Failed calls reject with StatusError. */
export class MasterClient {
  readonly #client: Client;

  constructor(target: string) {
    this.#client = new Client(target.replace('grpc://', ''), credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.enable_http_proxy': 0,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /** Resolves to the session handle. */
  async createSession(graphDef: GraphDef, config: MessageInitShape<typeof pb.CreateSessionRequestSchema>['config'] = {}): Promise<string> {
    const schemas = { request: pb.CreateSessionRequestSchema, response: pb.CreateSessionResponseSchema };
    return (await this.call('CreateSession', schemas, { graphDef, config })).sessionHandle;
  }

  /** The fetched tensors, in the order of the names. */
  async runStep(sessionHandle: string, { feeds = {}, fetches = [], targets = [], signal }: StepInit): Promise<Tensor[]> {
    const schemas = { request: pb.RunStepRequestSchema, response: pb.RunStepResponseSchema };
    const feed = Object.entries(feeds).map(([name, tensor]) => ({ name, tensor: toTensorProto(tensor) }));
    const request = { sessionHandle, feed, fetch: [...fetches], target: [...targets], options: {}, storeErrorsInResponseBody: true };
    const response = await this.call('RunStep', schemas, request, signal);
    if (response.statusCode !== 0) throw new StatusError(toCode(response.statusCode), response.statusErrorMessage);
    const byName = new Map(response.tensor.map(({ name, tensor }) => [name, tensor]));
    return fetches.map((name) => {
      const tensor = byName.get(name);
      if (!tensor) throw new Error(`${name} was not returned`);
      return fromTensorProto(tensor);
    });
  }

  async listDevices(sessionHandle: string): Promise<string[]> {
    const schemas = { request: pb.ListDevicesRequestSchema, response: pb.ListDevicesResponseSchema };
    const { localDevice, remoteDevice } = await this.call('ListDevices', schemas, { sessionHandle });
    return [...localDevice, ...remoteDevice].map(({ name }) => name);
  }

  async closeSession(sessionHandle: string): Promise<void> {
    await this.call('CloseSession', { request: pb.CloseSessionRequestSchema, response: pb.CloseSessionResponseSchema }, { sessionHandle });
  }

  call<I extends DescMessage, O extends DescMessage>(
    method: string,
    schemas: { request: I; response: O },
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): Promise<MessageShape<O>> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        `/tensorflow.MasterService/${method}`,
        (message: MessageShape<I>) => Buffer.from(toBinary(schemas.request, message)),
        (bytes) => fromBinary(schemas.response, bytes),
        create(schemas.request, request),
        new Metadata(),
        {},
        (error, response) => {
          if (error) reject(new StatusError(toCode(error.code), error.details));
          else if (response) resolve(response);
        },
      );
      signal?.addEventListener('abort', () => call.cancel());
    });
  }

  dispose(): void {
    this.#client.close();
  }
}
