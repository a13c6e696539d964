const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;

/** The checksum of TFRecord files: CRC-32C, rotated and shifted so that a checksum of data with checksums in it works. */
export function createMaskedCrc32c(): (bytes: Uint8Array) => number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    return value;
  });
  return (bytes) => {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
    crc = ~crc >>> 0;
    return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
  };
}
