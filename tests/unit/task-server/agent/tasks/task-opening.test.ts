import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskOpening } from '../../../../../task-server/agent/tasks/task-opening.ts';

const lan = { network: '10.0.0.0/24', seconds: 60 };

describe('the opening of a task', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-opening-'));
  });
  afterEach(async () => {
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  });

  it('is a file that only this user can read, and nothing when it is closed', async () => {
    const opening = new TaskOpening(folder, 'c/job:ps/task:0');
    await opening.open(lan, 'life');
    expect(JSON.parse(await readFile(opening.path, 'utf8'))).toMatchObject({ network: '10.0.0.0/24', seconds: 60 });
    expect((await stat(opening.path)).mode & 0o777).toBe(0o600);
    await opening.close();
    await opening.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is as was asked last, also when it is asked for twice at once', async () => {
    const opening = new TaskOpening(folder, 'c/job:ps/task:0');
    await Promise.all([opening.open(lan, 'life'), opening.close(), opening.open({ ...lan, network: '10.1.0.0/16' }, 'life')]);
    expect(await readFile(opening.path, 'utf8')).toContain('10.1.0.0/16');
  });

  it('has a file for each task, also where file systems do not tell capitals', () => {
    const names = ['ps', 'PS'].map((job) => new TaskOpening(folder, `c/job:${job}/task:0`).path.toLowerCase());
    expect(names[0]).not.toBe(names[1]);
  });

  it('is what the task has told, less the time since then', () => {
    vi.useFakeTimers();
    const opening = new TaskOpening(folder, 'x');
    opening.learn([
      { network: '10.0.0.0/24', remainingMs: 3000 },
      { network: '10.9.0.7', remainingMs: -1 },
    ]);
    vi.advanceTimersByTime(2000);
    const lasting = { network: '10.9.0.7', remaining: -1 };
    expect(opening.now).toEqual([{ network: '10.0.0.0/24', remaining: 1000 }, lasting]);
    vi.advanceTimersByTime(1000);
    expect(opening.now).toEqual([lasting]);
  });

  describe('that is started again', () => {
    let opening: TaskOpening;
    const change = async (more: object) =>
      writeFile(opening.path, JSON.stringify({ ...JSON.parse(await readFile(opening.path, 'utf8')), ...more }));

    beforeEach(async () => {
      opening = new TaskOpening(folder, 'x');
      await opening.begin('life');
      await opening.open(lan, 'life');
    });

    /** What is told before the next process begins, and whether that finds the file. */
    async function next(life: string) {
      opening.foretell(life);
      const told = opening.now.map(({ remaining }) => Math.round(remaining / 1000));
      await opening.begin(life);
      return { told, isKept: (await readdir(folder)).length > 0 };
    }

    it('goes on for the rest of its time, which the next process is foretold to tell', async () => {
      await change({ end: Date.now() + 20_000 });
      expect(await next('life')).toEqual({ told: [20], isKept: true });
    });

    it('goes on no longer when the clock was set back', async () => {
      await change({ end: Date.now() + 3_600_000, endUptime: uptime() + 10 });
      expect(await next('life')).toEqual({ told: [10], isKept: true });
    });

    it.each([
      ['its time is over by the clock', { end: 1 }],
      ['its time is over by the uptime', { endUptime: 0 }],
      ['it was made for an earlier life', { life: 'before' }],
      ['an earlier version has written it', { life: undefined }],
      ['it cannot be read', { network: 'lan' }],
    ])('does not go on when %s', async (_, more) => {
      await change(more);
      expect(await next('life')).toEqual({ told: [], isKept: false });
    });

    it('does not go on in another life, or once it was closed', async () => {
      expect(await next('next')).toEqual({ told: [], isKept: false });
      await opening.open(lan, 'next');
      await opening.close();
      expect(await next('next')).toEqual({ told: [], isKept: false });
    });

    it('goes on with an agent that adopts the task, and not with one that does not know it', async () => {
      opening = new TaskOpening(folder, 'x');
      opening.adopt('life');
      expect(opening.now).toHaveLength(1);
      expect(await next('life')).toEqual({ told: [60], isKept: true });
      opening = new TaskOpening(folder, 'x');
      expect(await next('life')).toEqual({ told: [], isKept: false });
    });
  });
});
