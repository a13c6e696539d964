import type { Socket } from 'node:net';
import type { Credentials } from '#proto/trust/credentials.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { peekFirstBytes } from './first-bytes.ts';
import { MAGIC } from './link/frame.ts';
import type { Log } from './log.ts';
import type { Openings } from './openings.ts';
import { withoutMapping } from './peer-filter.ts';
import { Strangers } from './strangers.ts';
import { TLS_FIRST_BYTE, TlsDoor } from './tls-door.ts';

export interface FrontDoorEnv {
  /** Who may connect in plain text, besides this machine. */
  readonly openings: Openings;
  /** With them, TLS is spoken to holders of a certificate of the lab, wherever they are. */
  readonly credentials?: Credentials | undefined;
  readonly log: Log;
  /** A welcome connection, and its first bytes. `peer` is who its certificate names; undefined in plain text. */
  readonly onConnection: (socket: Socket, bytes: Buffer, peer: readonly Identity[] | undefined) => void;
}

const MAX_MENTIONED = 1000;

/** Decides what becomes of a connection: by its address whether plain text is welcome, and by its first byte what it speaks. */
export class FrontDoor {
  /** Open connections. */
  readonly sockets = new Set<Socket>();
  readonly #env: FrontDoorEnv;
  readonly #tls: TlsDoor | undefined;
  readonly #plain = new Set<Socket>();
  readonly #strangers = new Strangers();
  readonly #mentioned = new Set<string>();

  constructor(env: FrontDoorEnv) {
    const { credentials, log, onConnection } = env;
    this.#env = env;
    this.#tls = credentials && new TlsDoor({ credentials, log, onConnection: (socket, peer) => this.#welcome(socket, onConnection, peer) });
  }

  /** The port is there: the time of openings begins to run. */
  begin(port: number): void {
    this.#env.openings.begin({ port, log: this.#env.log, cut: () => this.#cut() });
  }

  enter(socket: Socket): void {
    const isAdmitted = this.#env.openings.admits(socket);
    if (!isAdmitted && (!this.#tls || this.#strangers.isFull)) {
      this.#refuse(socket);
      return;
    }
    this.sockets.add(socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.#plain.delete(socket);
    });
    if (!isAdmitted) this.#strangers.add(socket);
    peekFirstBytes(socket, isTelling, (bytes) => this.#sort(socket, bytes));
  }

  dispose(): void {
    this.#env.openings.dispose();
    this.#tls?.dispose();
  }

  #sort(socket: Socket, bytes: Buffer): void {
    if (this.#tls && bytes[0] === TLS_FIRST_BYTE) {
      socket.unshift(bytes);
      this.#tls.accept(socket);
    } else if (this.#env.openings.admits(socket)) {
      this.#plain.add(socket);
      this.#env.onConnection(socket, bytes, undefined);
    } else {
      this.#refuse(socket);
    }
  }

  #welcome(socket: Socket, onConnection: FrontDoorEnv['onConnection'], peer: readonly Identity[]): void {
    this.#strangers.trust(socket);
    peekFirstBytes(socket, isTelling, (bytes) => onConnection(socket, bytes, peer));
  }

  #refuse(socket: Socket): void {
    socket.destroy();
    this.#mention(socket.remoteAddress);
  }

  #cut(): number {
    const unwelcome = [...this.#plain].filter((socket) => !this.#env.openings.admits(socket));
    for (const socket of unwelcome) socket.destroy();
    return unwelcome.length;
  }

  /** Peers that keep dialling are mentioned once. */
  #mention(remoteAddress = 'unknown address'): void {
    const address = withoutMapping(remoteAddress);
    if (this.#mentioned.has(address) || this.#mentioned.size >= MAX_MENTIONED) return;
    this.#mentioned.add(address);
    const who = this.#tls ? 'only this machine may connect in plain text' : 'only this machine may connect';
    this.#env.log.warning(
      `refused a connection from ${address}: ${who}; to admit it, open the cluster to its network in the app, or start the task with --allow ${address}`,
    );
  }
}

/** One byte is enough to see what is not the link. */
function isTelling(bytes: Buffer): boolean {
  return bytes[0] !== MAGIC[0] || bytes.length >= MAGIC.length;
}
