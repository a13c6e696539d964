import { invalidArgument } from './status.ts';

/**
 * A list of byte strings as `tensor_content` carries it: all lengths as varints, then all bytes. Throws INVALID_ARGUMENT
 * when the bytes do not hold exactly `count` elements. The elements are views, not copies.
 */
export function readByteStrings(bytes: Uint8Array, count: number): Uint8Array[] {
  const lengths = new Array<number>(count);
  let offset = 0;
  for (let i = 0; i < count; i++) {
    let length = 0;
    let shift = 1;
    let byte = 0x80;
    while (byte >= 0x80) {
      byte = bytes[offset++] ?? bad(count);
      length += (byte & 0x7f) * shift;
      shift *= 128;
    }
    lengths[i] = length;
  }
  const elements = lengths.map((length) => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  });
  if (offset !== bytes.length) bad(count);
  return elements;
}

function bad(count: number): never {
  throw invalidArgument(`Malformed content of a tensor with ${count} string elements`);
}

export function writeByteStrings(elements: readonly Uint8Array[]): Uint8Array {
  let total = 0;
  for (const element of elements) total += varintSize(element.length) + element.length;
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const element of elements) offset = writeVarint(bytes, offset, element.length);
  for (const element of elements) {
    bytes.set(element, offset);
    offset += element.length;
  }
  return bytes;
}

/** Bytes that a non-negative safe integer takes as a varint. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Writes a non-negative safe integer and returns the offset behind it. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  while (rest >= 128) {
    bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}
