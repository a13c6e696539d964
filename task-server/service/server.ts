import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { Server as GrpcServer, type handleUnaryCall, Metadata, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import type { Credentials } from '#proto/trust/credentials.ts';
import { cancelled, type StatusError, toStatusError, unknown } from '#proto/wire/status.ts';
import { serverOptions } from './channel.ts';
import { FrontDoor } from './front-door.ts';
import { toGrpcStatus } from './grpc-status.ts';
import { LINK_METADATA_KEY, LINK_VERSION, MAGIC } from './link/frame.ts';
import type { Log } from './log.ts';
import type { Openings } from './openings.ts';
import type { PeerLinks } from './peer-links.ts';
import { asBuffer, joined } from './rope.ts';
import { ServedCall } from './served-call.ts';
import type { UnaryMethod } from './unary-method.ts';

export interface Service {
  /** `tensorflow.WorkerService` */
  readonly name: string;
  readonly methods: readonly UnaryMethod[];
}

export interface ServerSettings {
  /** Address to listen on. Default: all of the machine's, IPv6 included where there is one. */
  readonly listen?: string | undefined;
  /** 0: one that is free. */
  readonly port: number;
  /** Networks whose machines may connect in plain text, besides this one. Ended with the server. */
  readonly openings: Openings;
  /** With them, members of the lab may connect from anywhere, by TLS. */
  readonly credentials?: Credentials | undefined;
  readonly services: readonly Service[];
  /** Where connections go that begin as a link does; the GetStatus of all services says that there is one. Owned by the caller. */
  readonly links?: PeerLinks | undefined;
  readonly log: Log;
}

export interface RunningServer {
  readonly port: number;
  /** Open connections, and the calls that are being answered. */
  counts(): { readonly connections: number; readonly calls: number };
  /** Accepts nothing more, ends all calls with this reason, and closes every connection; the port is free afterwards. */
  stop(reason: StatusError): Promise<void>;
}

/** Time for the last answers to reach their callers before the connections are cut. */
const STOP_GRACE_MS = 1000;

/**
 * Starts the server of a task. Connections come in through a socket of our own, which decides who may talk to us, in plain text or
 * by TLS, and by the first bytes whether they speak gRPC or the link. UNKNOWN, with TensorFlow's words, when it cannot listen.
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const { services, links, log } = settings;
  const calls = new Set<ServedCall>();
  const connections = new Map<string, AbortController>();
  const grpc = new GrpcServer(serverOptions);
  for (const service of services) addService(grpc, service, { calls, connections, log, hasLink: links !== undefined });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const door = new FrontDoor({
    openings: settings.openings,
    credentials: settings.credentials,
    log,
    onConnection: (socket, bytes, peer) => {
      if (links && MAGIC.every((byte, at) => byte === bytes[at])) {
        links.accept(socket, bytes.subarray(MAGIC.length), peer);
      } else {
        watchConnection(socket, connections);
        socket.unshift(bytes);
        injector.injectConnection(socket);
      }
    },
  });
  const { sockets } = door;
  const listener = createServer({ noDelay: true }, (socket) => door.enter(socket));
  const port = await listen(listener, settings).catch((error) => {
    door.dispose();
    throw error;
  });
  door.begin(port);
  return {
    port,
    counts: () => ({ connections: sockets.size, calls: calls.size + (links?.calls.size ?? 0) }),
    async stop(reason) {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      door.dispose();
      for (const call of [...calls, ...(links?.calls ?? [])]) call.abort(reason);
      await Promise.all([untilEmpty(calls, STOP_GRACE_MS), untilEmpty(links?.calls ?? calls, STOP_GRACE_MS)]);
      injector.drain(STOP_GRACE_MS);
      links?.endAccepted();
      await untilEmpty(sockets, STOP_GRACE_MS);
      for (const socket of sockets) socket.destroy();
      injector.destroy();
      grpc.forceShutdown();
      await closed;
    },
  };
}

/** Until it closes, the connection is known by the text that grpc-js has for it. */
function watchConnection(socket: Socket, connections: Map<string, AbortController>): void {
  const peer = `${socket.remoteAddress}:${socket.remotePort}`;
  const connection = new AbortController();
  connections.set(peer, connection);
  socket.once('close', () => {
    if (connections.get(peer) === connection) connections.delete(peer);
    connection.abort();
  });
}

interface HandlerEnv {
  readonly calls: Set<ServedCall>;
  /** By the peer's `address:port`; aborted when they close. */
  readonly connections: ReadonlyMap<string, AbortController>;
  readonly log: Log;
  readonly hasLink: boolean;
}

function addService(grpc: GrpcServer, { name, methods }: Service, env: HandlerEnv): void {
  const definition: ServiceDefinition = Object.fromEntries(
    methods.map((method) => [
      method.name,
      {
        path: `/${name}/${method.name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: asBuffer,
        requestDeserialize: (bytes: Buffer) => bytes,
        responseSerialize: asBuffer,
        responseDeserialize: (bytes: Buffer) => bytes,
      },
    ]),
  );
  grpc.addService(definition, Object.fromEntries(methods.map((method) => [method.name, handlerOf(method, env)])));
}

function handlerOf({ name, handle }: UnaryMethod, { calls, connections, log, hasLink }: HandlerEnv): handleUnaryCall<Buffer, Uint8Array> {
  const announcement = new Metadata();
  announcement.set(LINK_METADATA_KEY, LINK_VERSION);
  return (call, callback) => {
    const served = new ServedCall(() => connections.get(call.getPeer())?.signal);
    calls.add(served);
    // grpc-js emits this after every call; only an early one means that the caller has lost interest.
    call.on('cancelled', () => {
      if (calls.has(served)) served.abort(cancelled(`${name} was cancelled by the caller`));
    });
    if (log.traces('rpc')) log.trace('rpc', `${name} from ${call.getPeer()}, ${call.request.length} bytes`);
    if (hasLink && name === 'GetStatus') call.sendMetadata(announcement);
    handle(call.request, served).then(
      (response) => {
        calls.delete(served);
        callback(null, joined(response));
      },
      (thrown) => {
        calls.delete(served);
        const error = toStatusError(thrown);
        if (log.traces('rpc')) log.trace('rpc', `${name} failed: ${error.codeName}: ${error.message}`);
        callback(toGrpcStatus(error));
      },
    );
  };
}

function listen(listener: NetServer, { listen: host, port }: ServerSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', (error: NodeJS.ErrnoException) => {
      const where = host === undefined ? `port ${port}` : `${host} port ${port}`;
      const why = error.code === 'EADDRINUSE' ? `${where} is already in use` : `${where}: ${error.message}`;
      reject(unknown(`Could not start gRPC server: ${why}`, { cause: error }));
    });
    listener.listen(host === undefined ? { port } : { port, host }, () => {
      const address = listener.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

/** Resolves when the set is empty or the time is over. */
async function untilEmpty(set: ReadonlySet<unknown>, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (set.size > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
}
