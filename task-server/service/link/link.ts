import { connect, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { ALPN } from '#proto/trust/credentials.ts';
import type { SecureDial } from '#proto/trust/dialler.ts';
import { internal, toStatusError, unavailable } from '#proto/wire/status.ts';
import { SHARED_BYTES } from '#proto/wire/tensor.ts';
import { type Rope, ropeOf } from '../rope.ts';
import type { CallLimits, PendingCall } from '../transport.ts';
import { Kind, MAGIC } from './frame.ts';
import { FrameReader, type Incoming } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { IncomingCalls, type ServingEnv } from './incoming-calls.ts';
import { OutgoingCalls } from './outgoing-calls.ts';

export interface LinkEnv extends ServingEnv {
  /** How long a caller that waits for an answer may be silent before it is asked for a sign of life, and then again. */
  readonly silenceMs?: number;
}

export interface LinkTarget {
  readonly host: string;
  readonly port: number;
  /** Undefined: in plain text. */
  readonly secure?: SecureDial | undefined;
}

export interface LinkEvents {
  /** The other side has greeted; on the side that was dialled, with the text of its HELLO. */
  onOpen(link: Link, hello: string): void;
  /** On the side that was dialled: a message has come that would have been read with less work on the other side. */
  onLarge?(link: Link): void;
  /** The connection is gone, or was never made. Comes once, when all calls have ended. */
  onEnd(link: Link): void;
}

/** A task that has the link answers at once. */
const GREETING_TIMEOUT_MS = 5000;
const SILENCE_MS = 30_000;
const READ_BYTES = 64 * 1024;

/** One end of a link. Both ends make calls and serve them. Its owner closes it. */
export class Link {
  readonly #socket: Socket;
  readonly #env: LinkEnv;
  readonly #events: LinkEvents;
  readonly #reader: FrameReader;
  readonly #outgoing: OutgoingCalls;
  readonly #incoming: IncomingCalls;
  readonly #writer: FrameWriter;
  readonly #handlers: Readonly<Partial<Record<Kind, (message: Incoming) => void>>> = {
    [Kind.REQUEST]: ({ call, name, message }) => this.#incoming.serve(call, name, message),
    [Kind.NOTICE]: ({ name, message }) => this.#incoming.notice(name, message),
    [Kind.RESPONSE]: ({ call, message }) => this.#outgoing.finish(call, message),
    [Kind.ERROR]: ({ call, message }) => this.#outgoing.fail(call, message),
    [Kind.CANCEL]: ({ call }) => this.#incoming.cancel(call),
    [Kind.PING]: ({ call }) => this.#writer.sendControl(Kind.PONG, call),
    [Kind.PONG]: () => undefined,
  };
  /** Bytes of the other side's MAGIC that are still to come. */
  #magicLeft: number;
  #isGreeted = false;
  #isAsked = false;

  private constructor(socket: Socket, env: LinkEnv, { events, isDialler }: { events: LinkEvents; isDialler: boolean }) {
    this.#socket = socket;
    this.#env = env;
    this.#events = events;
    this.#writer = new FrameWriter(socket);
    this.#reader = new FrameReader((message) => this.#receive(message), { awaitsHello: !isDialler });
    this.#outgoing = new OutgoingCalls(this.#writer, isDialler ? 1 : 2);
    this.#incoming = new IncomingCalls(env, this.#writer);
    this.#magicLeft = isDialler ? MAGIC.length : 0;
    socket.on('error', (error) => env.log.debug(`link with ${socket.remoteAddress}: ${error.message}`));
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#end());
    socket.on('timeout', () => this.#onSilence());
    socket.setTimeout(GREETING_TIMEOUT_MS);
    socket.write(MAGIC);
  }

  /** Connects and says `hello`. Events come later. */
  static dial({ secure, ...to }: LinkTarget, hello: string, env: LinkEnv, events: LinkEvents): Link {
    const scratch = Buffer.allocUnsafe(READ_BYTES);
    // Large messages are read to where they belong; Node has this for sockets that dial only.
    let link: Link | undefined;
    const onread = {
      buffer: () => (link ? link.#reader.space : undefined) ?? scratch,
      callback: (count: number, buffer: Uint8Array) => {
        if (link) link.#read(buffer === scratch ? Buffer.from(scratch.subarray(0, count)) : count);
        return true;
      },
    };
    const options = { ...to, noDelay: true, onread };
    const socket = secure ? connectByTls({ ...options, ...secure, ALPNProtocols: ALPN }) : connect(options);
    link = new Link(socket, env, { events, isDialler: true });
    link.#writer.send({ kind: Kind.HELLO, call: 0, message: ropeOf(Buffer.from(hello)) });
    return link;
  }

  /** Takes over a connection whose first bytes were `MAGIC`; `begin` is what came behind them. Events may come at once. */
  static accept(socket: Socket, begin: Buffer, env: LinkEnv, events: LinkEvents): Link {
    const link = new Link(socket, env, { events, isDialler: false });
    socket.on('data', (data: Buffer) => link.#read(data));
    link.#read(begin);
    return link;
  }

  call(method: string, request: Rope, limits: CallLimits): PendingCall {
    return this.#outgoing.start(method, request, limits);
  }

  /** Hangs up once the answers that are on their way are written. */
  end(): void {
    this.#writer.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Bytes, or the number of those that are where the reader wanted them. */
  #read(data: Buffer | number): void {
    this.#isAsked = false;
    try {
      if (typeof data === 'number') this.#reader.filled(data);
      else if (this.#magicLeft === 0) this.#reader.push(data);
      else this.#reader.push(this.#readMagic(data));
    } catch (error) {
      // A peer that breaks the rules is as lost as one that hangs up.
      this.#env.log.warning(`closed the link with ${this.#socket.remoteAddress}: ${toStatusError(error).message}`);
      this.#socket.destroy();
    }
  }

  #readMagic(data: Buffer): Buffer {
    const end = Math.min(data.length, this.#magicLeft);
    for (let at = 0; at < end; at++) {
      if (data[at] !== MAGIC[MAGIC.length - this.#magicLeft--]) throw unavailable('The peer does not have the link');
    }
    if (this.#magicLeft === 0) this.#open('');
    return data.subarray(end);
  }

  #open(hello: string): void {
    this.#isGreeted = true;
    this.#socket.setTimeout(this.#env.silenceMs ?? SILENCE_MS);
    this.#events.onOpen(this, hello);
  }

  #receive(message: Incoming): void {
    if (!this.#isGreeted) {
      if (message.kind !== Kind.HELLO) throw internal('The first frame must be HELLO');
      this.#open(message.message.toString());
      return;
    }
    const handle = this.#handlers[message.kind];
    if (!handle) throw internal('Unexpected frame');
    if (message.message.length >= SHARED_BYTES) this.#events.onLarge?.(this);
    handle(message);
  }

  /** A peer whose machine is gone does not say so. */
  #onSilence(): void {
    if (this.#isGreeted && this.#incoming.size === 0) return;
    if (!this.#isGreeted || this.#isAsked) this.#socket.destroy();
    this.#isAsked = true;
    this.#writer.sendControl(Kind.PING, 0);
  }

  #end(): void {
    this.#incoming.end();
    this.#outgoing.end();
    this.#events.onEnd(this);
  }
}
