import type { Socket } from 'node:net';
import { SHARED_BYTES } from '#proto/wire/tensor.ts';
import { copyInto, type Rope } from '../rope.ts';
import { HEADER_BYTES, Kind, leadFor, MAX_PAYLOAD_BYTES, writeHeader } from './frame.ts';

export interface Outgoing {
  readonly kind: Kind;
  readonly call: number;
  /** Method of a REQUEST or NOTICE, in ASCII. */
  readonly name?: Buffer;
  readonly message: Rope;
}

/** From this size on a message is written piece by piece, without a copy. */
const LARGE_BYTES = SHARED_BYTES;
/** More than this is not handed to the socket ahead of time: small messages overtake what still waits here. */
const BUFFERED_BYTES = MAX_PAYLOAD_BYTES;
/** A receiver as fast as we are must not keep the thread in one loop. */
const SLICE_BYTES = 4 * MAX_PAYLOAD_BYTES;

const EMPTY: Rope = { pieces: [], size: 0 };
const NO_NAME = Buffer.alloc(0);

/**
 * Messages in, frames on a socket. Small ones that are sent in one turn of the event loop go out in one write at its end;
 * large ones take turns, a frame each, and never hold up small ones.
 */
export class FrameWriter {
  readonly #socket: Socket;
  #small: Buffer[] = [];
  readonly #large: LargeMessage[] = [];
  #isScheduled = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('drain', () => this.#flush());
  }

  send(outgoing: Outgoing): void {
    if (outgoing.message.size < LARGE_BYTES) this.#small.push(smallFrame(outgoing));
    else this.#large.push(new LargeMessage(outgoing));
    this.#schedule();
  }

  sendControl(kind: typeof Kind.CANCEL | typeof Kind.PING | typeof Kind.PONG, call: number): void {
    this.send({ kind, call, message: EMPTY });
  }

  /** Stops writing a large message. False when no such one is under way. */
  drop(call: number): boolean {
    const index = this.#large.findIndex((message) => message.call === call);
    if (index >= 0) this.#large.splice(index, 1);
    return index >= 0;
  }

  end(): void {
    this.#flush();
    this.#socket.end();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (!this.#socket.writable) return;
    const small = this.#small;
    if (small.length > 0) {
      this.#small = [];
      this.#socket.write(small.length === 1 ? (small[0] as Buffer) : Buffer.concat(small));
    }
    let budget = SLICE_BYTES;
    while (this.#large.length > 0 && this.#socket.writableLength < BUFFERED_BYTES) {
      if (budget <= 0) {
        this.#schedule();
        return;
      }
      budget -= this.#writeLarge();
    }
  }

  #writeLarge(): number {
    const message = this.#large.shift();
    if (!message) return 0;
    const frame = message.nextFrame();
    this.#socket.cork();
    for (const piece of frame) this.#socket.write(piece);
    this.#socket.uncork();
    if (!message.isDone) this.#large.push(message);
    return MAX_PAYLOAD_BYTES;
  }
}

function smallFrame({ kind, call, name = NO_NAME, message }: Outgoing): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + name.length + message.size);
  writeHeader(bytes, { size: name.length + message.size, total: message.size, call, kind, nameSize: name.length, lead: 0 });
  bytes.set(name, HEADER_BYTES);
  copyInto(bytes, HEADER_BYTES + name.length, message.pieces);
  return bytes;
}

/** A message that is written in several frames. */
class LargeMessage {
  readonly call: number;
  readonly #outgoing: Outgoing;
  /** Pieces before this one are written, and so many bytes of it. */
  #piece = 0;
  #offset = 0;
  #left: number;
  #isBegun = false;

  constructor(outgoing: Outgoing) {
    this.call = outgoing.call;
    this.#outgoing = outgoing;
    this.#left = outgoing.message.size;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Header first. */
  nextFrame(): Uint8Array[] {
    const { call, message, name = NO_NAME } = this.#outgoing;
    const head = Buffer.allocUnsafe(HEADER_BYTES + (this.#isBegun ? 0 : name.length));
    if (this.#isBegun) {
      const size = Math.min(this.#left, MAX_PAYLOAD_BYTES);
      writeHeader(head, { size, total: 0, call, kind: Kind.MORE, nameSize: 0, lead: 0 });
      return [head, ...this.#take(size)];
    }
    this.#isBegun = true;
    const size = Math.min(this.#left, MAX_PAYLOAD_BYTES - name.length);
    const { kind } = this.#outgoing;
    const lead = leadFor(offsetOfElements(message));
    writeHeader(head, { size: name.length + size, total: message.size, call, kind, nameSize: name.length, lead });
    head.set(name, HEADER_BYTES);
    return [head, ...this.#take(size)];
  }

  #take(count: number): Uint8Array[] {
    const taken: Uint8Array[] = [];
    this.#left -= count;
    for (let wanted = count; wanted > 0; ) {
      const piece = this.#outgoing.message.pieces[this.#piece] as Uint8Array;
      const part = piece.subarray(this.#offset, this.#offset + wanted);
      taken.push(part);
      wanted -= part.length;
      this.#offset += part.length;
      if (this.#offset < piece.length) continue;
      this.#piece++;
      this.#offset = 0;
    }
    return taken;
  }
}

/** Elements of large tensors are pieces of their own. */
function offsetOfElements({ pieces }: Rope): number {
  let offset = 0;
  for (const piece of pieces) {
    if (piece.length >= LARGE_BYTES) return offset;
    offset += piece.length;
  }
  return 0;
}
