import { createServer, type Server } from 'node:net';
import { alreadyExists, toStatusError, unavailable } from '#proto/wire/status.ts';

/** Whoever has not started its tasks by then will not. */
const HELD_MS = 30_000;

/** Keeps ports of this machine from other programs between their choice and the start of the tasks that will listen on them. */
export class PortHolder {
  readonly #held = new Map<number, { readonly server: Server; readonly timer: NodeJS.Timeout }>();

  /** The wanted ports, and any free one for each 0. ALREADY_EXISTS, naming the port, when a wanted one is in use; none is held then. */
  async reserve(wanted: readonly number[]): Promise<readonly number[]> {
    const results = await Promise.allSettled(wanted.map((port) => this.#listen(port)));
    const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) {
      await Promise.all(servers.map(close));
      throw failed.reason;
    }
    return servers.map((server) => {
      const port = portOf(server);
      this.#held.set(port, { server, timer: setTimeout(() => void this.release(port), HELD_MS).unref() });
      return port;
    });
  }

  /** Gives a port up to whoever listens on it next. Does nothing for one that is not held. */
  async release(port: number): Promise<void> {
    const held = this.#held.get(port);
    if (!held) return;
    this.#held.delete(port);
    clearTimeout(held.timer);
    await close(held.server);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((port) => this.release(port)));
  }

  async #listen(port: number): Promise<Server> {
    // Held for an earlier choice of the same port, which has come to nothing.
    if (port !== 0) await this.release(port);
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => socket.destroy());
      server.once('error', (error: NodeJS.ErrnoException) => reject(portError(port, error)));
      server.listen({ port, exclusive: true }, () => resolve(server));
    });
  }
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
