import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { Server as GrpcServer, type handleUnaryCall, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { cancelled, type StatusError, toStatusError, unknown } from '#proto/wire/status.ts';
import { serverOptions } from './channel.ts';
import { toGrpcStatus } from './grpc-status.ts';
import type { Log } from './log.ts';
import { createPeerFilter, withoutMapping } from './peer-filter.ts';
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
  /** Networks whose machines may connect, besides this one. */
  readonly allow: readonly string[];
  readonly services: readonly Service[];
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
 * Starts the gRPC server of a task. Connections come in through a socket of our own, which decides who may talk to us before
 * a byte is read. UNKNOWN, with TensorFlow's words, when it cannot listen.
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const calls = new Set<AbortController>();
  const grpc = new GrpcServer(serverOptions);
  for (const service of settings.services) addService(grpc, service, { calls, log: settings.log });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const admits = gatekeeper(settings);
  const listener = createServer({ noDelay: true }, (socket) => {
    if (!admits(socket)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    injector.injectConnection(socket);
  });
  const port = await listen(listener, settings);
  for (const network of settings.allow) settings.log.warning(`port ${port} is open, in plain text, to ${network}`);
  return {
    port,
    counts: () => ({ connections: sockets.size, calls: calls.size }),
    async stop(reason) {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const call of calls) call.abort(reason);
      await untilEmpty(calls, STOP_GRACE_MS);
      injector.drain(STOP_GRACE_MS);
      await untilEmpty(sockets, STOP_GRACE_MS);
      for (const socket of sockets) socket.destroy();
      injector.destroy();
      grpc.forceShutdown();
      await closed;
    },
  };
}

interface CallsInProgress {
  readonly calls: Set<AbortController>;
  readonly log: Log;
}

function addService(grpc: GrpcServer, { name, methods }: Service, env: CallsInProgress): void {
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

function handlerOf({ name, handle }: UnaryMethod, { calls, log }: CallsInProgress): handleUnaryCall<Buffer, Uint8Array> {
  return (call, callback) => {
    const controller = new AbortController();
    calls.add(controller);
    // grpc-js emits this after every call; only an early one means that the caller has lost interest.
    call.on('cancelled', () => {
      if (calls.has(controller)) controller.abort(cancelled(`${name} was cancelled by the caller`));
    });
    if (log.traces('rpc')) log.trace('rpc', `${name} from ${call.getPeer()}, ${call.request.length} bytes`);
    handle(call.request, { signal: controller.signal }).then(
      (response) => {
        calls.delete(controller);
        callback(null, response);
      },
      (thrown) => {
        calls.delete(controller);
        const error = toStatusError(thrown);
        if (log.traces('rpc')) log.trace('rpc', `${name} failed: ${error.codeName}: ${error.message}`);
        callback(toGrpcStatus(error));
      },
    );
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Peers that keep dialling are mentioned once. */
function gatekeeper({ allow, log }: ServerSettings): (socket: Socket) => boolean {
  const filter = createPeerFilter(allow);
  const mentioned = new Set<string>();
  return (socket) => {
    if (filter.admits(socket)) return true;
    const address = withoutMapping(socket.remoteAddress ?? 'unknown address');
    if (!mentioned.has(address) && mentioned.size < 1000) {
      mentioned.add(address);
      log.warning(`refused a connection from ${address}: only this machine may connect; to admit it, start with --allow ${address}`);
    }
    return false;
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
