import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { elfHeader, machHeader, peHeader } from './support.ts';

interface BinaryFormat {
  readonly HEADER_SIZE: number;
  binaryPlatform(bytes: Buffer): { platform: string; arch: string } | undefined;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { binaryPlatform, HEADER_SIZE }: BinaryFormat = await import(join(root, 'scripts/package/binary-format.mjs'));

describe('a program', () => {
  it.each([
    ['linux', 'x64', elfHeader(62)],
    ['linux', 'arm64', elfHeader(183)],
    ['darwin', 'x64', machHeader(0x01000007)],
    ['darwin', 'arm64', machHeader(0x0100000c)],
    ['win32', 'x64', peHeader(0x8664)],
    ['win32', 'arm64', peHeader(0xaa64)],
  ])('for %s on %s is known by its header', (platform, arch, bytes) => {
    expect(binaryPlatform(bytes)).toEqual({ platform, arch });
  });

  it.each([
    ['a script', Buffer.from(`#!/bin/sh\n${' '.repeat(100)}`)],
    ['32-bit ARM', elfHeader(40)],
    ['32-bit Windows', peHeader(0x14c)],
    ['32-bit Linux', Buffer.concat([Buffer.from('\x7fELF\x01\x01', 'latin1'), Buffer.alloc(60)])],
    ['an old program of DOS', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)])],
    ['a program whose header lies beyond the file', peHeader(0x8664).subarray(0, 100)],
    ['an empty file', Buffer.alloc(0)],
  ])('is not known when it is %s', (_, bytes) => {
    expect(binaryPlatform(bytes)).toBeUndefined();
  });

  it('that runs here is for this machine', () => {
    const bytes = Buffer.alloc(HEADER_SIZE);
    readSync(openSync(process.execPath, 'r'), bytes);
    expect(binaryPlatform(bytes)).toEqual({ platform: process.platform, arch: process.arch });
  });
});
