import { open } from 'node:fs/promises';

const MAGIC = Buffer.from('\x7fELF');
const HEAD_BYTES = 20;
const MACHINE_OFFSET = 18;
const MACHINES: Readonly<Record<number, string>> = { 62: 'x64', 183: 'arm64' };

/** The processor that a program or library of Linux is for: `x64`, `arm64`; undefined when it is neither of these. */
export async function elfArch(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead < HEAD_BYTES || !buffer.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    return MACHINES[buffer.readUInt16LE(MACHINE_OFFSET)];
  } finally {
    await file.close();
  }
}
