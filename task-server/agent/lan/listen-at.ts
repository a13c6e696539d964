import type { Server } from 'node:net';
import { toStatusError, unavailable } from '#proto/wire/status.ts';
import type { Log } from '../../service/log.ts';

export interface ListenOptions {
  readonly listen: string | undefined;
  readonly port: number;
  readonly log: Log;
}

/** Resolves to the port: any free one, with a word in the log, where the wanted one is taken. UNAVAILABLE when it cannot listen at all. */
export async function listenAt(server: Server, { listen, port, log }: ListenOptions): Promise<number> {
  try {
    return await listenOn(server, listen, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
      const where = listen === undefined ? `port ${port}` : `${listen}, port ${port}`;
      throw unavailable(`The agent cannot listen at ${where}: ${toStatusError(error).message}`, { cause: error });
    }
  }
  const other = await listenOn(server, listen, 0);
  log.warning(`port ${port} is in use by another program: this agent answers other machines at port ${other}`);
  return other;
}

function listenOn(server: Server, host: string | undefined, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(host === undefined ? { port, exclusive: true } : { port, host, exclusive: true }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
