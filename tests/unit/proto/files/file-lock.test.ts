import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFileLock } from '#proto/files/file-lock.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanflow-lock-'));
  path = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true }));

it('works of one process take turns, in order, and one that fails stops none of the others', async () => {
  const done: number[] = [];
  let isBusy = false;
  const work = async (number: number): Promise<void> => {
    expect(isBusy).toBe(false);
    isBusy = true;
    await delay(1);
    isBusy = false;
    done.push(number);
    if (number === 3) throw new Error('the third one');
  };
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const results = await Promise.allSettled(numbers.map((number) => withFileLock(path, () => work(number))));
  expect(done).toEqual(numbers);
  expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([3]);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it('waits for another process that lives, and for none that is gone', async () => {
  await writeFile(`${path}.lock`, String(process.ppid));
  const waiting = withFileLock(path, async () => 'done');
  await delay(100);
  expect(existsSync(`${path}.lock`)).toBe(true);
  await rm(`${path}.lock`);
  expect(await waiting).toBe('done');
  await writeFile(`${path}.lock`, '2147483647');
  expect(await withFileLock(path, async () => 'again')).toBe('again');
});
