import type { WebSocket } from 'ws';
import type { Packet } from '#proto/ipc/pipe.ts';

/** Closes a WebSocket so that its page connects again. */
const SERVICE_RESTART = 1012;
/** A page that takes nothing for so long has stopped; it asks for everything again when it comes back. */
const MOST_BUFFERED_BYTES = 256 * 2 ** 20;

/** Passes frames between pages and the core, unread. Each WebSocket is a window. */
export class Relay {
  readonly #toCore: (packet: Packet) => void;
  readonly #sockets = new Map<number, WebSocket>();
  #lastWindow = 0;

  constructor(toCore: (packet: Packet) => void) {
    this.#toCore = toCore;
  }

  add(socket: WebSocket): void {
    const window = ++this.#lastWindow;
    this.#sockets.set(window, socket);
    socket.binaryType = 'nodebuffer';
    socket.on('message', (frame: Buffer, isBinary) => {
      if (isBinary && frame.length > 0) this.#toCore({ window, frame });
    });
    // An error is followed by `close`.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#sockets.delete(window)) this.#toCore({ window, frame: new Uint8Array() });
    });
  }

  fromCore({ window, frame }: Packet): void {
    const socket = this.#sockets.get(window);
    if (socket && socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate();
    else socket?.send(frame);
  }

  /** The core that the pages spoke with is gone. */
  dropAll(): void {
    for (const socket of this.#sockets.values()) socket.close(SERVICE_RESTART);
    this.#sockets.clear();
  }
}
