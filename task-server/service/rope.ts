/** A message in pieces that are joined only where a transport needs them in one. Who gets it may not change the bytes. */
export interface Rope {
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
}

export function ropeOf(bytes: Uint8Array): Rope {
  return { pieces: [bytes], size: bytes.length };
}

export function joined({ pieces, size }: Rope): Buffer {
  const [first] = pieces;
  if (first && pieces.length === 1) return asBuffer(first);
  const bytes = Buffer.allocUnsafe(size);
  copyInto(bytes, 0, pieces);
  return bytes;
}

/** Returns the offset behind the last piece. */
export function copyInto(target: Uint8Array, offset: number, pieces: readonly Uint8Array[]): number {
  let at = offset;
  for (const piece of pieces) {
    target.set(piece, at);
    at += piece.length;
  }
  return at;
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
