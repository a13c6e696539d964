import { sharedMemory } from '#proto/wire/shared-memory.ts';
import { internal } from '#proto/wire/status.ts';
import { SHARED_BYTES } from '#proto/wire/tensor.ts';
import { type FrameHeader, HEADER_BYTES, Kind, MAX_HELLO_BYTES, readHeader } from './frame.ts';

/** A whole message, put together from one frame or several. */
export interface Incoming {
  readonly kind: Kind;
  readonly call: number;
  /** Method of a REQUEST or NOTICE, else empty. */
  readonly name: string;
  readonly message: Buffer;
}

interface Unfinished extends Incoming {
  filled: number;
}

/**
 * Bytes of one direction in, whole messages out, in the order in which their last bytes come. Messages of `SHARED_BYTES` or
 * more lie in shared memory of their own. Throws INTERNAL for bytes that are not of the link; the connection is then of no
 * further use.
 */
export class FrameReader {
  readonly #deliver: (message: Incoming) => void;
  /** The beginning of a frame whose header or name has not come in full. */
  #head: Buffer | undefined;
  /** What the bytes to come belong to, and how many of them. */
  #current: Unfinished | undefined;
  #rest = 0;
  /** Messages whose next frame is to come, by call. */
  readonly #unfinished = new Map<number, Unfinished>();

  /** The dialler has not said who it is: nothing is made room for before. */
  #awaitsHello: boolean;

  constructor(deliver: (message: Incoming) => void, { awaitsHello = false } = {}) {
    this.#deliver = deliver;
    this.#awaitsHello = awaitsHello;
  }

  /** The reader keeps `data`, and messages may be views of it. */
  push(data: Buffer): void {
    const chunk = this.#head ? Buffer.concat([this.#head, data]) : data;
    this.#head = undefined;
    let at = 0;
    while (at < chunk.length) {
      const next = this.#current ? this.#copy(this.#current, chunk, at) : this.#begin(chunk, at);
      if (next === undefined) {
        this.#head = chunk.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Where the next bytes may be read to without a copy; undefined when they are better pushed. `filled` tells how many came. */
  get space(): Buffer | undefined {
    const current = this.#current;
    if (!current || this.#rest < SHARED_BYTES) return undefined;
    return current.message.subarray(current.filled, current.filled + this.#rest);
  }

  filled(count: number): void {
    if (this.#current) this.#advance(this.#current, count);
  }

  /** Returns where the next frame or the rest of this one begins; undefined when its head is not there in full. */
  #begin(chunk: Buffer, at: number): number | undefined {
    if (chunk.length < at + HEADER_BYTES) return undefined;
    const header = readHeader(chunk, at);
    if (!header) throw internal('Malformed frame');
    if (this.#awaitsHello) this.#greet(header);
    const start = at + HEADER_BYTES + header.nameSize;
    if (chunk.length < start) return undefined;
    const { kind, call, size, total, nameSize } = header;
    if (kind === Kind.MORE) {
      this.#resume(header);
      return start;
    }
    if (this.#unfinished.delete(call) && kind !== Kind.CANCEL && kind !== Kind.ERROR) throw internal(`Call ${call} began twice`);
    const name = nameSize === 0 ? '' : chunk.toString('latin1', at + HEADER_BYTES, start);
    const end = start + total;
    if (total < SHARED_BYTES && size === nameSize + total && chunk.length >= end) {
      this.#deliver({ kind, call, name, message: chunk.subarray(start, end) });
      return end;
    }
    const unfinished = { kind, call, name, message: room(header), filled: 0 };
    this.#unfinished.set(call, unfinished);
    this.#expect(unfinished, size - nameSize);
    return start;
  }

  #greet({ kind, total }: FrameHeader): void {
    if (kind !== Kind.HELLO || total > MAX_HELLO_BYTES) throw internal('The first frame must be HELLO');
    this.#awaitsHello = false;
  }

  #resume({ call, size }: FrameHeader): void {
    const unfinished = this.#unfinished.get(call);
    if (!unfinished || size > unfinished.message.length - unfinished.filled) throw internal(`Unexpected continuation of call ${call}`);
    this.#expect(unfinished, size);
  }

  #expect(message: Unfinished, size: number): void {
    this.#current = size > 0 ? message : undefined;
    this.#rest = size;
  }

  #copy(current: Unfinished, chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#rest);
    chunk.copy(current.message, current.filled, at, end);
    this.#advance(current, end - at);
    return end;
  }

  #advance(current: Unfinished, count: number): void {
    current.filled += count;
    this.#rest -= count;
    if (this.#rest > 0) return;
    this.#current = undefined;
    if (current.filled < current.message.length) return;
    this.#unfinished.delete(current.call);
    this.#deliver(current);
  }
}

function room({ total, lead }: FrameHeader): Buffer {
  if (total < SHARED_BYTES) return Buffer.allocUnsafe(total);
  return Buffer.from(sharedMemory(lead + total), lead, total);
}
