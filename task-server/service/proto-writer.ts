import type { Rope } from './rope.ts';

const FIRST_BYTES = 256;
/** From this size on bytes are not copied but become a piece of their own. */
const PIECE_BYTES = 4096;
const LENGTH_DELIMITED = 2;

/**
 * Writes a protobuf message from its end to its beginning, so that a nested message is there, and its length known, when the
 * field around it is written: call the methods in the reverse order of the fields. Like the generated codec, it leaves out
 * fields with the default value, except `bytesField` and `close`.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** What is written of the current buffer begins here. */
  #at = FIRST_BYTES;
  /** Finished pieces, last one first. */
  readonly #pieces: Uint8Array[] = [];
  #piecesSize = 0;

  /** Bytes written so far: to be passed to `close`. */
  get size(): number {
    return this.#piecesSize + this.#buffer.length - this.#at;
  }

  /** Ends, which is to say begins, the nested message in this field whose writing began at `size`. */
  close(field: number, size: number): void {
    this.#varint(this.size - size);
    this.#tag(field, LENGTH_DELIMITED);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    const size = this.size;
    if (bytes.length < PIECE_BYTES) {
      this.#reserve(bytes.length);
      this.#at -= bytes.length;
      this.#buffer.set(bytes, this.#at);
    } else {
      this.#finishPiece();
      this.#addPiece(bytes);
    }
    this.close(field, size);
  }

  /** Also when it is empty: an element of a repeated field counts. */
  textElement(field: number, text: string): void {
    const size = this.size;
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(text, this.#at);
    this.close(field, size);
  }

  text(field: number, text: string): void {
    if (text !== '') this.textElement(field, text);
  }

  bool(field: number, value: boolean): void {
    if (value) this.uint(field, 1);
  }

  /** A non-negative safe integer. */
  uint(field: number, value: number): void {
    if (value === 0) return;
    this.#varint(value);
    this.#tag(field, 0);
  }

  int64(field: number, value: bigint): void {
    if (value === 0n) return;
    const bits = BigInt.asUintN(64, value);
    this.#varint64(Number(bits & 0xffffffffn), Number(bits >> 32n));
    this.#tag(field, 0);
  }

  /** A whole message, as another codec has written it. */
  raw(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#finishPiece();
    this.#addPiece(bytes);
  }

  finish(): Rope {
    this.#finishPiece();
    return { pieces: this.#pieces.reverse(), size: this.#piecesSize };
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) | 128;
    this.#buffer[at] = rest;
  }

  #varint64(low: number, high: number): void {
    // Up to 53 bits are exact as one number; the rest of a larger value follows its lowest 28 bits.
    if (high < 2 ** 21) {
      this.#varint(high * 2 ** 32 + low);
      return;
    }
    const upper = high * 16 + (low >>> 28);
    this.#varint(upper);
    this.#reserve(4);
    this.#at -= 4;
    for (let i = 0; i < 4; i++) this.#buffer[this.#at + i] = ((low >>> (7 * i)) & 127) | 128;
  }

  #reserve(size: number): void {
    if (this.#at >= size) return;
    this.#finishPiece();
    const length = Math.max(FIRST_BYTES, size);
    this.#buffer = Buffer.allocUnsafe(length);
    this.#at = length;
  }

  /** What is written of the current buffer becomes a piece; the space before it stays in use. */
  #finishPiece(): void {
    const { length } = this.#buffer;
    if (this.#at < length) this.#addPiece(this.#buffer.subarray(this.#at));
    this.#buffer = this.#buffer.subarray(0, this.#at);
  }

  #addPiece(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#piecesSize += bytes.length;
  }
}
