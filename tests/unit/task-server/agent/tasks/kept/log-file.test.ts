import { appendFile, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFile, type LogMark } from '../../../../../../task-server/agent/tasks/kept/log-file.ts';

const BEGIN: LogMark = { offset: 0, number: 0, time: 5 };

describe('the log file of a task', () => {
  let folder: string;
  let path: string;
  let heard: { text: string; time: number }[];
  let begin: LogMark;
  const files: LogFile[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-log-'));
    path = join(folder, 'log');
    begin = BEGIN;
  });
  afterEach(async () => {
    await Promise.all(files.splice(0).map((file) => file.close()));
    await rm(folder, { recursive: true });
  });

  /** By another agent: it knows where to begin, and nothing else. */
  function open(kept = 5000): LogFile {
    heard = [];
    const file = new LogFile({
      ...{ path, begin, kept, warn: (text) => expect.fail(text) },
      onLine: (text, time) => {
        if (text.startsWith('ready ')) return false;
        heard.push({ text, time });
        return true;
      },
      onBegin: async (mark) => {
        begin = mark;
      },
    });
    files.push(file);
    return file;
  }
  const texts = () => heard.map(({ text }) => text);

  it('is heard as it grows, and needs not be there', async () => {
    const file = open();
    await file.drain();
    file.follow();
    await appendFile(path, 'one\nhalf');
    await expect.poll(texts).toEqual(['one']);
    await appendFile(path, ' and half\n');
    await expect.poll(texts).toEqual(['one', 'half and half']);
    expect(heard[0]?.time).toBeGreaterThan(Date.now() - 10_000);
  });

  it('has the lines of its agent among those of the task, each on a line of its own', async () => {
    const file = open();
    await file.note('agent: started');
    await appendFile(path, 'one\nkilled with');
    await file.note('agent: has\nended');
    expect(texts()).toEqual(['agent: started', 'one', 'killed with', 'agent: has ended']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('gives every agent the same numbers, and what was said while there was none', async () => {
    const first = open();
    await appendFile(path, 'one\nready grpc://x:1\ntwo\n');
    await first.drain();
    await appendFile(path, 'three\n');
    const second = open();
    await second.catchUp();
    expect([texts(), first.next, second.next]).toEqual([['one', 'two', 'three'], 2, 3]);
  });

  it('knows from our own lines when they were written, and of others no more than that of the line before', async () => {
    await writeFile(path, 'old\n2026-11-30T10:00:00.500Z INFO x\n2026 is no time\n');
    await open().catchUp();
    const at = Date.UTC(2026, 10, 30, 10, 0, 0, 500);
    expect(heard.map(({ time }) => time)).toEqual([5, at, at]);
  });

  it('gives up old lines and their place on the disk, keeps those that are wanted, and all numbers', async () => {
    const file = open(3000);
    for (let block = 0; block < 20; block++) {
      await appendFile(path, Array.from({ length: 1000 }, (_, i) => `${block * 1000 + i} ${'x'.repeat(300)}\n`).join(''));
      await file.drain();
    }
    const { blocks, size } = await stat(path);
    expect([size > 6_000_000, blocks * 512 < 3_500_000]).toEqual([true, true]);
    const next = open(3000);
    await next.catchUp();
    expect([next.next, begin.number + heard.length]).toEqual([20_000, 20_000]);
    expect(heard.length).toBeGreaterThanOrEqual(3000);
    expect(texts()[0]?.startsWith(`${begin.number} x`)).toBe(true);
  });

  it('begins anew, with the numbers going on, when somebody has emptied it', async () => {
    begin = { offset: 1000, number: 70, time: 0 };
    await writeFile(path, 'one\n');
    const file = open();
    await file.catchUp();
    await truncate(path);
    expect([texts(), file.next]).toEqual([['one'], 71]);
  });
});
