import type { Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { type handleServerStreamingCall, Server, ServerCredentials, type ServerOptions, type ServerWritableStream } from '@grpc/grpc-js';
import { AgentEventSchema, AgentService, type EventsRequest } from '#proto/generated/lanflow/agent_pb.ts';
import { methodDefinition } from '#proto/wire/method-definition.ts';
import { toStatusError, unavailable } from '#proto/wire/status.ts';
import { toGrpcStatus } from '../../service/grpc-status.ts';
import type { Log } from '../../service/log.ts';
import { type AgentMethodsEnv, agentMethods } from './agent-methods.ts';
import type { Authorizer } from './authorization.ts';
import { EventStream } from './event-stream.ts';
import type { Keepers } from './keepers.ts';
import { answer } from './rpc-method.ts';

export interface ControlEnv extends AgentMethodsEnv {
  readonly keepers: Keepers;
  readonly authorize: Authorizer;
  readonly log: Log;
}

const { events } = AgentService.method;

const local: ServerOptions = { 'grpc.enable_channelz': 0 };
/** Callers that are gone without a word are noticed, so that their event streams end. On this machine the system tells. */
const overLan: ServerOptions = { ...local, 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 30_000 };

/**
 * The agent's control service behind one door: each door is a server of its own over the same methods, with its own authorizer. Who
 * makes it stops it.
 */
export class ControlServer {
  readonly #server: Server;
  readonly #injector: ReturnType<Server['createConnectionInjector']>;
  readonly #streams = new Set<ServerWritableStream<EventsRequest, Uint8Array>>();

  constructor(env: ControlEnv) {
    const { authorize, door, log } = env;
    this.#server = new Server(door === 'local' ? local : overLan);
    this.#injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    const methods = agentMethods(env);
    const answerEnv = {
      authorize,
      onCall: (name: string) => {
        if (log.traces('agent')) log.trace('agent', name);
      },
      onFailure: log.warning,
    };
    this.#server.addService(
      Object.fromEntries([...methods.map(({ descriptor }) => descriptor), events].map((each) => [each.name, methodDefinition(each)])),
      Object.fromEntries([
        ...methods.map((method) => [method.descriptor.name, answer(method, answerEnv)] as const),
        [events.name, this.#streamEvents(env)],
      ]),
    );
  }

  /** On a Unix domain socket, or a named pipe on Windows. UNAVAILABLE when that cannot be made. */
  listen(socket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
        if (error) reject(unavailable(`The agent cannot listen at ${socket}: ${error.message}`, { cause: error }));
        else resolve();
      });
    });
  }

  /** Takes over a connection that came in by a door of the caller's. */
  accept(socket: Socket): void {
    this.#injector.injectConnection(socket);
  }

  /** Ends all streams and closes every connection. */
  stop(): void {
    for (const stream of this.#streams) stream.end();
    this.#injector.destroy();
    this.#server.forceShutdown();
  }

  #streamEvents({ machine, supervisor, keepers, authorize }: ControlEnv): handleServerStreamingCall<EventsRequest, Uint8Array> {
    return (call) => {
      try {
        authorize(call.metadata);
      } catch (error) {
        call.emit('error', toGrpcStatus(toStatusError(error)));
        return;
      }
      this.#streams.add(call);
      const leave = call.request.keep ? keepers.add() : undefined;
      const sink = {
        write: (event: Parameters<typeof create<typeof AgentEventSchema>>[1]) =>
          call.write(toBinary(AgentEventSchema, create(AgentEventSchema, event))),
      };
      const stream = new EventStream(machine, supervisor, sink, call.request);
      call.on('drain', () => stream.drained());
      const end = (): void => {
        if (!this.#streams.delete(call)) return;
        stream.close();
        leave?.();
        call.end();
      };
      for (const event of ['cancelled', 'close', 'error'] as const) call.on(event, end);
    };
  }
}
