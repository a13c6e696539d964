import { expect, it } from 'vitest';
import { counted, sharedMemory } from '#proto/wire/shared-memory.ts';

const SIZE = 16 * 1024 * 1024;
const PAGE = 4096;

it('dead tensors in shared memory are collected before they fill the memory of the machine', async () => {
  const before = process.memoryUsage.rss();
  let most = 0;
  for (let count = 0; count < 80; count++) {
    const bytes = new Uint8Array(sharedMemory(SIZE));
    for (let at = 0; at < SIZE; at += PAGE) bytes[at] = 1;
    most = Math.max(most, process.memoryUsage.rss() - before);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBeLessThan(40 * SIZE);
});

it('what counts the memory takes none itself, and is made once', () => {
  const before = process.memoryUsage.rss();
  const buffers = Array.from({ length: 20 }, () => sharedMemory(SIZE));
  expect(process.memoryUsage.rss() - before).toBeLessThan(5 * SIZE);
  for (const buffer of buffers) expect(Object.getOwnPropertySymbols(counted(buffer))).toHaveLength(1);
});
