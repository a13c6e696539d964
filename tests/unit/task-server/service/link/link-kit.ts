import { createServer, type Socket } from 'node:net';
import { MAGIC } from '../../../../../task-server/service/link/frame.ts';
import { Link, type LinkEnv, type LinkEvents } from '../../../../../task-server/service/link/link.ts';
import { createLog } from '../../../../../task-server/service/log.ts';
import { ropeOf } from '../../../../../task-server/service/rope.ts';
import type { UnaryMethod } from '../../../../../task-server/service/unary-method.ts';

export function envOf(methods: readonly UnaryMethod[], silenceMs?: number): LinkEnv {
  const log = createLog({ write: () => undefined });
  const byName = new Map(methods.map((method) => [method.name, method]));
  return { methods: byName, calls: new Set(), log, ...(silenceMs !== undefined && { silenceMs }) };
}

export const noEvents: LinkEvents = { onOpen: () => undefined, onEnd: () => undefined };

export const message = (text: string) => ropeOf(Buffer.from(text));

export const echo: UnaryMethod = { name: 'Echo', handle: async (request) => ropeOf(Buffer.from(request)) };

/** Answers with so many bytes. */
export function bulk(count: number): UnaryMethod {
  const bytes = new Uint8Array(count).fill(9);
  return { name: 'Bulk', handle: async () => ropeOf(bytes) };
}

/** Never answers; tells when it has begun, and why it was told to stop. */
export function blocker(): { method: UnaryMethod; begun: Promise<void>; reason: Promise<unknown> } {
  let begin = (): void => {};
  let tell = (_: unknown): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const reason = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  const method: UnaryMethod = {
    name: 'Block',
    handle: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          tell(signal.reason);
          reject(signal.reason);
        });
        begin();
      }),
  };
  return { method, begun, reason };
}

export interface Listener {
  readonly port: number;
  /** The next connection. */
  accepted(): Promise<Socket>;
  close(): void;
}

export async function listen(): Promise<Listener> {
  const sockets: Socket[] = [];
  const waiting: ((socket: Socket) => void)[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    const waiter = waiting.shift();
    if (waiter) waiter(socket);
    else sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    accepted: async () => sockets.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    close: () => server.close(),
  };
}

/** Both ends of one link, greeted. */
export async function linkPair(dialler: LinkEnv, other: LinkEnv): Promise<{ dialled: Link; accepted: Link; hello: string }> {
  const listener = await listen();
  let hello = '';
  let accepted: Link | undefined;
  const dialled = await new Promise<Link>((resolve) => {
    Link.dial({ host: '127.0.0.1', port: listener.port }, 'hello', dialler, { ...noEvents, onOpen: resolve });
    void listener.accepted().then((socket) => {
      socket.once('data', (data: Buffer) => {
        const onOpen = (_: Link, text: string) => {
          hello = text;
        };
        accepted = Link.accept(socket, data.subarray(MAGIC.length), other, { ...noEvents, onOpen });
      });
    });
  });
  listener.close();
  if (!accepted) throw new Error('the other end did not greet');
  return { dialled, accepted, hello };
}
