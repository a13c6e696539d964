import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyWithoutSymbols } from '../../../../../main/install/bundle/symbols.ts';

const CODE = { type: 1, flags: 6, text: 'code that runs' };
const UNINITIALIZED = { type: 8, flags: 0, text: '' };
const SYMBOLS = { type: 2, flags: 0, text: 'symbols' };
const NAMES_OF_SYMBOLS = { type: 3, flags: 0, text: 'names of symbols' };
const NAMES_OF_SECTIONS = { type: 3, flags: 0, text: 'names of sections' };

describe('a program that is copied', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanflow-symbols-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function copyOf(program: Buffer): Promise<Buffer> {
    writeFileSync(join(folder, 'from'), program);
    await copyWithoutSymbols(join(folder, 'from'), join(folder, 'to'));
    return readFileSync(join(folder, 'to'));
  }

  it('lacks what is not loaded, and has all else where it was', async () => {
    const program = elf([CODE, UNINITIALIZED, SYMBOLS, NAMES_OF_SYMBOLS, NAMES_OF_SECTIONS]);
    const copy = await copyOf(program);
    expect(copy.length).toBe(program.length);
    const blank = (text: string): string => '\0'.repeat(text.length);
    const expected = program.toString('latin1').replace(NAMES_OF_SYMBOLS.text, blank).replace(SYMBOLS.text, blank);
    expect(copy.toString('latin1')).toBe(expected);
  });

  it.each([
    ['a script', Buffer.from('#!/bin/sh\nexec node "$@"\n')],
    ['a file that breaks off', elf([CODE, SYMBOLS, NAMES_OF_SECTIONS]).subarray(0, 70)],
    ['an empty file', Buffer.alloc(0)],
  ])('is the same when it is %s', async (_, program) => {
    expect(await copyOf(program)).toEqual(program);
  });

  it.runIf(process.platform === 'linux')('runs', async () => {
    await copyWithoutSymbols(process.execPath, join(folder, 'node'));
    chmodSync(join(folder, 'node'), 0o755);
    expect(execFileSync(join(folder, 'node'), ['-p', '6 * 7'], { encoding: 'utf8' })).toBe('42\n');
  });
});

interface Section {
  readonly type: number;
  readonly flags: number;
  readonly text: string;
}

/** The last section has the names of the sections. */
function elf(sections: readonly Section[]): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01', 'latin1');
  const table = Buffer.alloc(64 * sections.length);
  let offset = header.length;
  for (const [index, { type, flags, text }] of sections.entries()) {
    table.writeUInt32LE(type, 64 * index + 4);
    table.writeUInt32LE(flags, 64 * index + 8);
    table.writeBigUInt64LE(BigInt(offset), 64 * index + 24);
    table.writeBigUInt64LE(BigInt(text.length), 64 * index + 32);
    offset += text.length;
  }
  header.writeBigUInt64LE(BigInt(offset), 40);
  header.writeUInt16LE(sections.length, 60);
  header.writeUInt16LE(sections.length - 1, 62);
  return Buffer.concat([header, Buffer.from(sections.map(({ text }) => text).join('')), table]);
}
