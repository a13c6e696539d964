import type { Socket } from 'node:net';

/** Others must say something, and prove who they are, within this time. */
const LIMIT_MS = 10_000;
/** More would only be somebody who wants to use up all sockets. */
const MAX = 500;

/** Connections that have not proved yet who they are; each is cut when its time is over. */
export class Strangers {
  /** By their ends; the limit of each. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  get isFull(): boolean {
    return this.#timers.size >= MAX;
  }

  /** Once per connection. */
  add(socket: Socket): void {
    // A socket that is closed has no ends any more.
    const ends = endsOf(socket);
    this.#limit(ends, socket, LIMIT_MS);
    socket.once('close', () => this.#forget(ends));
  }

  /** It may stay for so long from now on, and goes on to count. */
  grant(socket: Socket, limitMs: number): void {
    const ends = endsOf(socket);
    if (this.#timers.has(ends)) this.#limit(ends, socket, limitMs);
  }

  /** It is a stranger no more; the TLS socket of its connection will do as well. */
  trust(socket: Socket): void {
    this.#forget(endsOf(socket));
  }

  #limit(ends: string, socket: Socket, limitMs: number): void {
    clearTimeout(this.#timers.get(ends));
    const timer = setTimeout(() => socket.destroy(), limitMs);
    this.#timers.set(ends, timer);
  }

  #forget(ends: string): void {
    clearTimeout(this.#timers.get(ends));
    this.#timers.delete(ends);
  }
}

/** Both sockets of a TLS connection have the same. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
