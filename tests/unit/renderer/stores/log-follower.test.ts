import { describe, expect, it } from 'vitest';
import type { LogLine } from '#proto/ipc/contract.ts';
import { LogFollower } from '../../../../renderer/stores/log-follower.ts';

const line = (number: number): LogLine => ({ number, time: 0, source: 'client', kind: 'client', text: `line ${number}` });
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at));

/** A core whose log grows by hand. */
class FakeLog {
  all: LogLine[] = [];
  shown: readonly number[] = [];
  onFetch = () => {};
  readonly follower: LogFollower;

  constructor(kept = 1000, page = 10) {
    this.follower = new LogFollower({
      fetch: async (from) => {
        const answer = { lines: this.all.slice(from, from + page), total: this.all.length };
        this.onFetch();
        return answer;
      },
      publish: (published) => {
        this.shown = published.map(({ number }) => number);
      },
      kept,
    });
  }
}

describe('LogFollower', () => {
  it('fetches page after page', async () => {
    const log = new FakeLog();
    log.all = lines(0, 35);
    await log.follower.load();
    expect(log.shown).toEqual(lines(0, 35).map(({ number }) => number));
  });

  it('shows each line once when heard lines overlap', async () => {
    const log = new FakeLog();
    log.all = lines(0, 5);
    await log.follower.load();
    await log.follower.hear(lines(3, 7));
    expect(log.shown).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('fills a gap before it shows what comes after', async () => {
    const log = new FakeLog();
    log.all = lines(0, 3);
    await log.follower.load();
    log.all = lines(0, 9);
    await log.follower.hear(lines(7, 9));
    expect(log.shown).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('does not lose a line that is said while the last page is under way', async () => {
    const log = new FakeLog();
    log.all = lines(0, 4);
    log.onFetch = () => {
      log.onFetch = () => {};
      log.all = lines(0, 5);
      void log.follower.hear([line(4)]);
    };
    await log.follower.load();
    expect(log.shown).toEqual([0, 1, 2, 3, 4]);
  });

  it('keeps the end of a log that is too long', async () => {
    const log = new FakeLog(20);
    log.all = lines(0, 500);
    await log.follower.load();
    await log.follower.hear(lines(500, 505));
    expect(log.shown).toEqual(lines(485, 505).map(({ number }) => number));
  });

  it('can be tried again after an error', async () => {
    const log = new FakeLog();
    log.all = lines(0, 2);
    log.onFetch = () => {
      log.onFetch = () => {};
      throw new Error('lost');
    };
    await expect(log.follower.load()).rejects.toThrow('lost');
    await log.follower.load();
    expect(log.shown).toEqual([0, 1]);
  });
});
