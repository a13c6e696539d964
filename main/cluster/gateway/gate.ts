import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { ALPN, type Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import { type Identity, readIdentities } from '#proto/trust/identity.ts';
import { tlsFailure } from '#proto/trust/tls-failure.ts';
import { alreadyExists, unavailable } from '#proto/wire/status.ts';
import type { HostPort } from '../../client/session/channel.ts';

export interface GateEnv {
  /** Where the task is now; asked for each connection. */
  readonly to: () => HostPort;
  /** Who should be there, where that is known: `/job:ps/replica:0/task:0`. */
  readonly task?: string;
  /** Of 127.0.0.1; 0: any free one. */
  readonly localPort: number;
  readonly credentials: Credentials;
  readonly log: (line: string) => void;
}

export interface Gate {
  /** `grpc://127.0.0.1:PORT` */
  readonly target: string;
  /** Whom the certificate of the far side names; rejects with UNAVAILABLE, and why, when it cannot be reached now. */
  identify(): Promise<readonly Identity[]>;
  close(): Promise<void>;
}

const CONNECT_MS = 5000;

/**
 * A port of this machine behind which a remote task is: what comes in plain text goes on by TLS, byte by byte. Each connection dials
 * anew, so a task that restarts is there again for the next one.
 */
export async function openGate(env: GateEnv): Promise<Gate> {
  const sockets = new Set<Socket>();
  let lastReason = '';
  const server = createServer({ noDelay: true }, (local) => {
    sockets.add(local);
    const to = env.to();
    const remote = dial(to, env);
    joinBoth(local, remote, (error) => {
      const reason = error ? reasonOf(error) : '';
      if (reason !== '' && reason !== lastReason) env.log(`${addressText(to)}: ${reason}`);
      lastReason = reason;
    });
    local.once('close', () => sockets.delete(local));
  });
  const port = await listen(server, env.localPort);
  return {
    target: `grpc://127.0.0.1:${port}`,
    identify: () => identify(env),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function dial({ host, port }: HostPort, { credentials, task }: GateEnv): TLSSocket {
  credentials.refresh();
  const socket = connect({ host, port, ...secureDial(credentials, { task }), ALPNProtocols: ALPN }).setNoDelay(true);
  const limit = setTimeout(() => socket.destroy(new Error('Connection timed out')), CONNECT_MS);
  return socket.once('secureConnect', () => clearTimeout(limit)).once('close', () => clearTimeout(limit));
}

/** Both end when one does. `onEnd` hears once that both are gone. */
function joinBoth(local: Socket, remote: Socket, onEnd: (error: Error | undefined) => void): void {
  let problem: Error | undefined;
  local.pipe(remote).pipe(local);
  remote.on('error', (error) => {
    problem = error;
  });
  // What broke the near side is the client's own affair: it knows.
  local.on('error', () => remote.destroy());
  local.on('close', () => remote.destroy());
  remote.on('close', () => {
    local.destroy();
    onEnd(problem);
  });
}

async function identify(env: GateEnv): Promise<readonly Identity[]> {
  const to = env.to();
  const socket = dial(to, env);
  try {
    await once(socket, 'secureConnect');
    return readIdentities(socket.getPeerCertificate().subjectaltname);
  } catch (error) {
    throw unavailable(`${addressText(to)}: ${reasonOf(error)}`, { cause: error });
  } finally {
    socket.destroy();
  }
}

function addressText({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return tlsFailure(`${message} ${code}`) ?? message;
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw alreadyExists(`Port ${port} of 127.0.0.1 is in use; choose another one`, { cause: error });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
