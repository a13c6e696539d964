import { copyFile, type FileHandle, open } from 'node:fs/promises';

interface Range {
  readonly offset: number;
  readonly size: number;
}

interface Section extends Range {
  readonly type: number;
  readonly flags: number;
}

/** As the format of Linux programs numbers and lays things out (64 bits, little-endian). */
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const HEADER_SIZE = 64;
const SECTION_SIZE = 64;
const LOADED = 2;
const WITHOUT_CONTENT = [0, 8];

const CHUNK = 2 ** 20;

/**
 * Copies a program without the symbols that only debuggers need: a tenth of a compressed Node. They become zeros, which takes no tool and
 * works for processors other than this one's. A program of another system than Linux is copied as it is.
 */
export async function copyWithoutSymbols(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  try {
    for (const range of await unusedRanges(file)) await fillWithZeros(file, range);
  } finally {
    await file.close();
  }
}

/** What is not loaded when the program runs, besides the names of the sections. */
async function unusedRanges(file: FileHandle): Promise<readonly Range[]> {
  const header = await readAt(file, 0, HEADER_SIZE);
  if (header.length < HEADER_SIZE || !header.subarray(0, MAGIC.length).equals(MAGIC)) return [];
  const [count, names] = [header.readUInt16LE(60), header.readUInt16LE(62)];
  const table = await readAt(file, Number(header.readBigUInt64LE(40)), count * SECTION_SIZE);
  const sections = Array.from({ length: Math.floor(table.length / SECTION_SIZE) }, (_, index) => sectionAt(table, index * SECTION_SIZE));
  return sections.filter(({ type, flags }, index) => index !== names && (flags & LOADED) === 0 && !WITHOUT_CONTENT.includes(type));
}

function sectionAt(table: Buffer, at: number): Section {
  return {
    type: table.readUInt32LE(at + 4),
    flags: table.readUInt32LE(at + 8),
    offset: Number(table.readBigUInt64LE(at + 24)),
    size: Number(table.readBigUInt64LE(at + 32)),
  };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function fillWithZeros(file: FileHandle, { offset, size }: Range): Promise<void> {
  const zeros = Buffer.alloc(Math.min(size, CHUNK));
  for (let done = 0; done < size; done += zeros.length) await file.write(zeros, 0, Math.min(zeros.length, size - done), offset + done);
}
