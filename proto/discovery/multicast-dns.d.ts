/** The package brings no types. Only what is used of it. */
declare module 'multicast-dns' {
  import type { EventEmitter } from 'node:events';
  import type { MulticastEnv, MulticastSocket } from '#proto/discovery/multicast-links.ts';

  /** With `socket`: over that one, of node:dgram or like it. */
  export default function open(options: Parameters<MulticastEnv['open']>[0] & { readonly socket?: EventEmitter }): MulticastSocket;
}
