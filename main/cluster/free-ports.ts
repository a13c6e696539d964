import { createServer, type Server } from 'node:net';
import { alreadyExists, toStatusError, unavailable } from '#proto/wire/status.ts';

/**
 * Ports of 127.0.0.1 that nobody uses: the wanted ones, and any free one for each 0. All are held at once before any is given
 * back, so they differ. Rejects with ALREADY_EXISTS, naming the port, when a wanted one is in use.
 */
export async function freePorts(wanted: readonly number[]): Promise<readonly number[]> {
  const held = await Promise.allSettled(wanted.map(hold));
  const servers = held.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const failed = held.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return ports;
}

function hold(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(portError(port, error)));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function portError(port: number, error: NodeJS.ErrnoException) {
  if (error.code === 'EADDRINUSE') {
    return alreadyExists(`Port ${port} of this machine is in use by another program; choose another one, or 0 for any`, { cause: error });
  }
  return unavailable(`Port ${port} of this machine cannot be used: ${toStatusError(error).message}`, { cause: error });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
