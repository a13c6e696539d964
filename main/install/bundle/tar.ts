import { createReadStream } from 'node:fs';
import { internal, invalidArgument } from '#proto/wire/status.ts';

/** A file of an archive. */
export interface TarEntry {
  /** With `/`, at most 255 bytes. */
  readonly name: string;
  readonly isExecutable: boolean;
  /** Bytes. */
  readonly size: number;
  /** Where its content is read from. */
  readonly source: string;
}

/** A symbolic link of an archive. */
export interface TarLink {
  readonly name: string;
  /** Relative, at most 100 bytes. */
  readonly target: string;
}

const BLOCK = 512;
const LONGEST_TARGET = 100;

/** A tar archive (ustar) of plain files and links, the same for the same files: it has no owners and no times. */
export async function* packTar(entries: Iterable<TarEntry>, links: Iterable<TarLink> = []): AsyncGenerator<Buffer> {
  for (const { name, target } of links) yield header({ name, isExecutable: true, size: 0 }, target);
  for (const entry of entries) {
    yield header(entry);
    let size = 0;
    for await (const chunk of createReadStream(entry.source) as AsyncIterable<Buffer>) {
      size += chunk.length;
      yield chunk;
    }
    if (size !== entry.size) throw internal(`${entry.source} has changed while it was packed`);
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header({ name, isExecutable, size }: Omit<TarEntry, 'source'>, target = ''): Buffer {
  if (Buffer.byteLength(target) > LONGEST_TARGET) throw invalidArgument(`The link ${name} leads too far for an archive`);
  const block = Buffer.alloc(BLOCK);
  const [prefix, rest] = splitName(name);
  const write = (text: string, offset: number): number => block.write(text, offset, 'utf8');
  const octal = (value: number, offset: number, width: number): number => write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset);
  write(rest, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 8);
  for (const offset of [108, 116]) octal(0, offset, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  // The checksum counts as spaces while it is made.
  write('        ', 148);
  write(target === '' ? '0' : '2', 156);
  write(target, 157);
  write('ustar\u000000', 257);
  write(prefix, 345);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

/** The format has 155 bytes for leading folders and 100 for what follows. */
function splitName(name: string): readonly [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(rest) <= 100) return [prefix, rest];
  }
  throw invalidArgument(`The name ${name} is too long for an archive`);
}
