import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TaskOpening } from '../../../../../task-server/agent/tasks/task-opening.ts';

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
    await opening.open('10.0.0.0/24', 60);
    expect(JSON.parse(await readFile(opening.path, 'utf8'))).toMatchObject({ network: '10.0.0.0/24', seconds: 60 });
    expect((await stat(opening.path)).mode & 0o777).toBe(0o600);
    await opening.close();
    await opening.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is as was asked last, also when it is asked for twice at once', async () => {
    const opening = new TaskOpening(folder, 'c/job:ps/task:0');
    await Promise.all([opening.open('10.0.0.0/24', 60), opening.close(), opening.open('10.1.0.0/16', 60)]);
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
});
