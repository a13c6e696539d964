import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { FRAMES_PATH } from '#proto/ipc/frames.ts';
import { alreadyExists, unavailable } from '#proto/wire/status.ts';
import { CoreProcess } from '../../app/core-process.ts';
import { bundlePath } from '../../program-host/bundles.ts';
import { Access } from './access.ts';
import { servePages } from './pages.ts';
import { Relay } from './relay.ts';

export interface WebServer {
  /** With the token. */
  readonly url: string;
  /** Ends the core, and with it all that it started on this machine. */
  close(): Promise<void>;
}

export interface WebServerOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly log: (line: string) => void;
}

/** As large as a run bundle may be. */
const MAX_FRAME_BYTES = 2 ** 30;

/** The app for browsers of this machine. Rejects with ALREADY_EXISTS when the port is in use. */
export async function startWebServer({ port: wanted, log }: WebServerOptions): Promise<WebServer> {
  const server = createServer();
  const port = await listen(server, wanted);
  const access = new Access(port);
  const core = new CoreProcess(
    { node: process.execPath, entry: bundlePath('core/index.js') },
    {
      onPacket: (packet) => relay.fromCore(packet),
      onStarted: () => {},
      onStderr: (chunk) => process.stderr.write(chunk),
      onEnded: (reason, restarts) => {
        log(`The core has ended: ${reason} ${restarts ? 'It is started again.' : 'It is started again when a page asks for it.'}`);
        relay.dropAll();
      },
    },
  );
  const relay = new Relay((packet) => core.send(packet));
  core.start();
  server.on('request', servePages(bundlePath('renderer'), access));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES });
  server.on('upgrade', (request, socket, head) => {
    if (!mayConnect(request, access)) return refuse(socket);
    core.start();
    sockets.handleUpgrade(request, socket, head, (opened) => relay.add(opened));
  });
  return {
    url: `http://127.0.0.1:${port}/?token=${access.token}`,
    close: async () => {
      relay.dropAll();
      server.close();
      server.closeAllConnections();
      await core.stop();
    },
  };
}

function mayConnect({ headers, url }: IncomingMessage, access: Access): boolean {
  return url === FRAMES_PATH && access.isOwnHost(headers) && access.isOwnOrigin(headers) && access.hasSession(headers);
}

function refuse(socket: Duplex): void {
  socket.on('error', () => {});
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(isTaken ? alreadyExists(`Port ${port} is in use; choose another with --port`) : unavailable(error.message, { cause: error }));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
