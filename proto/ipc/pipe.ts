import { resourceExhausted } from '../wire/status.ts';

/**
 * How the shell and the core talk through a pair of byte pipes. One pipe serves all windows of a shell: each packet says which
 * window it is from or for, so that the shell passes frames on unread.
 *
 *     packet = length of the frame (uint32, little-endian) | number of the window (uint32, little-endian) | frame
 *
 * The core reads file descriptor 3 and writes file descriptor 4; when 3 closes it stops what it started, and ends.
 * A window exists for the core from its first packet on; a packet without a frame says that it is gone.
 */
export interface Packet {
  readonly window: number;
  /** Empty: the window is gone. */
  readonly frame: Uint8Array;
}

const HEADER_BYTES = 8;
/** Larger frames are nobody's: something else writes into the pipe. */
const MAX_FRAME_BYTES = 1 << 30;

/** What to write before the frame itself; the two need not be joined. */
export function packetHeader({ window, frame }: Packet): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setUint32(0, frame.length, true);
  view.setUint32(4, window, true);
  return header;
}

/** Cuts a stream of bytes into packets. Every byte is copied once, however the stream was chopped. */
export class PacketReader {
  readonly #onPacket: (packet: Packet) => void;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;
  #window = 0;
  #frame: Uint8Array | undefined;
  #frameFilled = 0;

  constructor(onPacket: (packet: Packet) => void) {
    this.#onPacket = onPacket;
  }

  /** Takes the next bytes; calls `onPacket` for each packet that they complete. Throws RESOURCE_EXHAUSTED for an impossible length. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) at += this.#frame ? this.#fillFrame(this.#frame, chunk, at) : this.#fillHeader(chunk, at);
  }

  #fillHeader(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + HEADER_BYTES - this.#headerFilled);
    this.#header.set(part, this.#headerFilled);
    this.#headerFilled += part.length;
    if (this.#headerFilled === HEADER_BYTES) this.#startFrame();
    return part.length;
  }

  #startFrame(): void {
    const view = new DataView(this.#header.buffer);
    const length = view.getUint32(0, true);
    if (length > MAX_FRAME_BYTES)
      throw resourceExhausted(`A frame of ${length} bytes cannot be: the pipe between shell and core is out of step`);
    this.#window = view.getUint32(4, true);
    this.#headerFilled = 0;
    this.#frameFilled = 0;
    this.#frame = new Uint8Array(length);
    if (length === 0) this.#finishFrame(this.#frame);
  }

  #fillFrame(frame: Uint8Array, chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + frame.length - this.#frameFilled);
    frame.set(part, this.#frameFilled);
    this.#frameFilled += part.length;
    if (this.#frameFilled === frame.length) this.#finishFrame(frame);
    return part.length;
  }

  #finishFrame(frame: Uint8Array): void {
    this.#frame = undefined;
    this.#onPacket({ window: this.#window, frame });
  }
}
