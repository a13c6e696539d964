import type { Socket } from 'node:net';

/**
 * Looks at how a connection begins. `isEnough` decides, on the bytes so far, whether that will do; `done` then gets them, and
 * whoever takes the connection over finds it as it was. A connection that ends before is dropped.
 */
export function peekFirstBytes(socket: Socket, isEnough: (bytes: Buffer) => boolean, done: (bytes: Buffer) => void): void {
  let seen = Buffer.alloc(0);
  const drop = () => socket.destroy();
  const look = () => {
    const bytes: Buffer | null = socket.read();
    if (!bytes) return;
    seen = Buffer.concat([seen, bytes]);
    if (!isEnough(seen)) return;
    socket.off('readable', look).off('end', drop).off('error', drop);
    done(seen);
  };
  socket.on('readable', look).on('end', drop).on('error', drop);
}
