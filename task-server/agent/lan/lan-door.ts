import { createServer, type Server, type Socket } from 'node:net';
import type { Credentials } from '#proto/trust/credentials.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { peekFirstBytes } from '../../service/first-bytes.ts';
import type { Log } from '../../service/log.ts';
import { Strangers } from '../../service/strangers.ts';
import { TLS_FIRST_BYTE, TlsDoor } from '../../service/tls-door.ts';
import { listenAt } from './listen-at.ts';

export interface LanDoorEnv {
  /** Address to listen on; all of the machine's when undefined. */
  readonly listen: string | undefined;
  /** 0: any free one. */
  readonly port: number;
  readonly log: Log;
  /** A connection of a member of the lab, by TLS. */
  readonly onMember: (socket: Socket, member: readonly Identity[]) => void;
  /** A connection in plain text, which is cut after half a minute. */
  readonly onStranger: (socket: Socket) => void;
}

/** Pairing takes a few seconds. */
const PLAIN_MS = 30_000;
/** How HTTP/2 begins. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** The agent's one port for other machines: members of its lab come in by TLS, strangers in plain text, to pair, and for a moment only. */
export class LanDoor {
  readonly #env: LanDoorEnv;
  readonly #listener: Server;
  readonly #strangers = new Strangers();
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #tls: { readonly lab: string; readonly door: TlsDoor; readonly members: Set<Socket> } | undefined;

  private constructor(env: LanDoorEnv) {
    this.#env = env;
    this.#listener = createServer({ noDelay: true }, (socket) => this.#enter(socket));
  }

  /** Rejects as `listenAt` does. */
  static async open(env: LanDoorEnv): Promise<LanDoor> {
    const door = new LanDoor(env);
    door.#port = await listenAt(door.#listener, env);
    return door;
  }

  get port(): number {
    return this.#port;
  }

  /** What the machine shows from now on. Connections with members of another lab than this one end. */
  show(lab: string, credentials: Credentials): void {
    if (this.#tls?.lab === lab) {
      this.#tls.door.refresh();
      return;
    }
    this.#closeTls();
    const members = new Set<Socket>();
    const door = new TlsDoor({
      credentials,
      log: this.#env.log,
      onConnection: (socket, member) => {
        members.add(socket);
        socket.once('close', () => members.delete(socket));
        this.#strangers.trust(socket);
        this.#env.onMember(socket, member);
      },
    });
    this.#tls = { lab, door, members };
  }

  /** Accepts nothing more, and cuts every connection; resolves when the port is free. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    this.#closeTls();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #closeTls(): void {
    this.#tls?.door.dispose();
    for (const socket of this.#tls?.members ?? []) socket.destroy();
  }

  #enter(socket: Socket): void {
    if (this.#strangers.isFull) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#strangers.add(socket);
    peekFirstBytes(socket, isTelling, (bytes) => this.#sort(socket, bytes));
  }

  #sort(socket: Socket, bytes: Buffer): void {
    const isTls = bytes[0] === TLS_FIRST_BYTE;
    if (isTls ? !this.#tls : !bytes.subarray(0, PREFACE.length).equals(PREFACE)) {
      socket.destroy();
      return;
    }
    socket.unshift(bytes);
    if (isTls) {
      this.#tls?.door.accept(socket);
    } else {
      this.#strangers.grant(socket, PLAIN_MS);
      this.#env.onStranger(socket);
    }
  }
}

/** Enough to see what it is, or that it is nothing. */
function isTelling(bytes: Buffer): boolean {
  return bytes.length >= PREFACE.length || !bytes.equals(PREFACE.subarray(0, bytes.length));
}
