import type { Transport } from './transport.ts';

const FIRST_RETRY = 250;
const SLOWEST_RETRY = 4000;
/** With this code the server closes when its core has ended. */
const SERVICE_RESTART = 1012;

/** Frames through a WebSocket to the server that the page came from. Tries again for ever, more and more slowly. */
export function socketTransport(url: string): Transport {
  let socket: WebSocket | undefined;
  return {
    send: (frame) => {
      // A view on shared memory cannot be sent, and frames never are one.
      if (socket?.readyState === WebSocket.OPEN) socket.send(frame as Uint8Array<ArrayBuffer>);
    },
    open: (events) => {
      let retry = FIRST_RETRY;
      const connect = () => {
        const next = new WebSocket(url);
        next.binaryType = 'arraybuffer';
        next.addEventListener('open', () => {
          socket = next;
          retry = FIRST_RETRY;
          events.onConnected();
        });
        next.addEventListener('message', ({ data }) => events.onFrame(new Uint8Array(data as ArrayBuffer)));
        next.addEventListener('close', ({ code }) => {
          if (socket === next) events.onLost({ reason: '', restores: true, coreEnded: code === SERVICE_RESTART });
          socket = undefined;
          setTimeout(connect, retry);
          retry = Math.min(retry * 2, SLOWEST_RETRY);
        });
      };
      connect();
    },
    // Whoever serves the page restarts its core.
    restart: async () => {},
  };
}
