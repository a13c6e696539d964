/** The first bytes of programs, as each format has them. */
export function elfHeader(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF\x02\x01', 'latin1');
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

export function machHeader(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(machine, 4);
  return bytes;
}

export function peHeader(machine: number): Buffer {
  const bytes = Buffer.alloc(256);
  bytes.write('MZ');
  bytes.writeUInt32LE(128, 60);
  bytes.write('PE\0\0', 128);
  bytes.writeUInt16LE(machine, 132);
  return bytes;
}
