import { connect, createServer, type Socket } from 'node:net';

/** A way to a task that can be cut: for the task it is as if the client's process were killed. */
export interface Severable {
  readonly target: string;
  /** Ends all connections at once, as the system does for a process that is killed. */
  sever(): void;
  /** From now on nothing passes, and nobody is told: the client's machine is unplugged. */
  unplug(): void;
  close(): Promise<void>;
}

export async function severable(target: string): Promise<Severable> {
  const port = Number(target.split(':').at(-1));
  const pairs = new Set<readonly [Socket, Socket]>();
  let isUnplugged = false;
  const server = createServer({ noDelay: true }, (client) => {
    const task = connect({ port, host: '127.0.0.1', noDelay: true });
    const pair = [client, task] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [task, client] as const]) {
      from.on('data', (data: Buffer) => void (isUnplugged || to.write(data)));
      from.on('error', () => undefined);
      from.on('close', () => {
        if (isUnplugged) return;
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const sever = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    target: `grpc://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    sever,
    unplug: () => {
      isUnplugged = true;
    },
    close: () => {
      sever();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
