import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { AgentEventSchema, AgentService, type EventsRequest } from '#proto/generated/lanflow/agent_pb.ts';
import { toStatusError, unavailable } from '#proto/wire/status.ts';
import { toGrpcStatus } from '../../service/grpc-status.ts';
import type { Log } from '../../service/log.ts';
import type { Machine } from '../machine/machine.ts';
import type { Supervisor } from '../tasks/supervisor.ts';
import { type AgentMethod, agentMethods } from './agent-methods.ts';
import type { Authorizer } from './authorization.ts';
import { EventStream } from './event-stream.ts';
import type { Keepers } from './keepers.ts';

export interface ControlEnv {
  readonly machine: Machine;
  readonly supervisor: Supervisor;
  readonly keepers: Keepers;
  readonly authorize: Authorizer;
  readonly log: Log;
}

export interface ControlServer {
  /** Ends all streams and closes every connection. */
  stop(): void;
}

const SERVICE_PATH = `/${AgentService.typeName}/`;
const EVENTS = AgentService.method.events;

/**
 * The agent's control service on a Unix domain socket, or a named pipe on Windows. Another door, to other machines, is another
 * server with its own credentials and authorizer over the same methods.
 */
export async function serveControl(socket: string, env: ControlEnv): Promise<ControlServer> {
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const streams = new Set<ServerWritableStream<EventsRequest, Uint8Array>>();
  const methods = agentMethods(env.supervisor);
  const definition: ServiceDefinition = Object.fromEntries([
    ...methods.map(({ descriptor: { name, input } }) => [name, describe(name, input, false)] as const),
    [EVENTS.name, describe(EVENTS.name, EVENTS.input, true)],
  ]);
  const implementation: UntypedServiceImplementation = Object.fromEntries([
    ...methods.map((method) => [method.descriptor.name, answer(method, env)] as const),
    [EVENTS.name, streamEvents(streams, env)],
  ]);
  server.addService(definition, implementation);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
      if (error) reject(unavailable(`The agent cannot listen at ${socket}: ${error.message}`, { cause: error }));
      else resolve();
    });
  });
  return {
    stop: () => {
      for (const stream of streams) stream.end();
      server.forceShutdown();
    },
  };
}

function describe(name: string, input: DescMessage, responseStream: boolean) {
  return {
    path: `${SERVICE_PATH}${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: asBuffer,
    requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
    responseSerialize: asBuffer,
    responseDeserialize: (bytes: Buffer) => bytes,
  };
}

function answer({ descriptor: { name, output }, handle }: AgentMethod, { authorize, log }: ControlEnv): handleUnaryCall<never, Uint8Array> {
  return async (call, callback) => {
    try {
      authorize(call.metadata);
      if (log.traces('agent')) log.trace('agent', name);
      // Handler and descriptor of one method belong together.
      const response = (await handle(call.request)) as MessageShape<DescMessage>;
      callback(null, toBinary(output, create(output, response)));
    } catch (thrown) {
      const error = toStatusError(thrown);
      log.warning(`${name} failed: ${error.codeName}: ${error.message}`);
      callback(toGrpcStatus(error));
    }
  };
}

function streamEvents(
  streams: Set<ServerWritableStream<EventsRequest, Uint8Array>>,
  { machine, supervisor, keepers, authorize }: ControlEnv,
): handleServerStreamingCall<EventsRequest, Uint8Array> {
  return (call) => {
    try {
      authorize(call.metadata);
    } catch (error) {
      call.emit('error', toGrpcStatus(toStatusError(error)));
      return;
    }
    streams.add(call);
    const leave = call.request.keep ? keepers.add() : undefined;
    const sink = {
      write: (event: Parameters<typeof create<typeof AgentEventSchema>>[1]) =>
        call.write(toBinary(AgentEventSchema, create(AgentEventSchema, event))),
    };
    const stream = new EventStream(machine, supervisor, sink, call.request);
    call.on('drain', () => stream.drained());
    const end = (): void => {
      if (!streams.delete(call)) return;
      stream.close();
      leave?.();
      call.end();
    };
    for (const event of ['cancelled', 'close', 'error'] as const) call.on(event, end);
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
