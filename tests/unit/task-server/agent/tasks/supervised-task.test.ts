import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SupervisedTask } from '../../../../../task-server/agent/tasks/supervised-task.ts';
import type { TaskProcess } from '../../../../../task-server/agent/tasks/task-process.ts';
import type { TaskRunner } from '../../../../../task-server/agent/tasks/task-runner.ts';
import type { Setup } from '../../../../../task-server/agent/tasks/task-setup.ts';

const setup: Setup = {
  ...{ cluster: 'c', clusterTitle: 'Lab', job: 'ps', index: 0, spec: '{"ps":["127.0.0.1:1"]}', engine: 'bundled', placement: '' },
  ...{ virtualGpus: 0, startId: 'first', restart: false, allow: [], plaintext: [] },
};
const lan = { network: '10.0.0.0/24', seconds: 900 };

/** Listens at once, where nobody answers, and ends when it is told to. */
class FakeProcess implements TaskProcess {
  readonly pid = 1;
  readonly ready = Promise.resolve('127.0.0.1:1');
  readonly ended: Promise<string>;
  end: () => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = () => resolve('SIGKILL');
    });
  }

  signal(): void {}

  async stop(): Promise<void> {
    this.end();
  }
}

describe('the opening of a supervised task', () => {
  let folder: string;
  let task: SupervisedTask;
  let processes: FakeProcess[];
  /** Whether each process has found its file. */
  let found: Promise<boolean>[];
  let told: number[];

  const isFound = async () => (await readdir(folder)).length > 0;
  const runner: TaskRunner = {
    recover: async () => undefined,
    launch: () => {
      found.push(isFound());
      const launched = new FakeProcess();
      processes.push(launched);
      return launched;
    },
    note: () => undefined,
    keep: async () => undefined,
    forget: async () => undefined,
    leave: async () => undefined,
  };
  const newTask = () =>
    new SupervisedTask(setup, {
      ...{
        program: 'task',
        folder,
        variables: () => ({}),
        yields: false,
        tls: () => undefined,
        freePort: async () => undefined,
        runner: () => runner,
      },
      ...{ onStatus: () => told.push(openings().length), onLine: () => undefined },
    });
  const openings = () => task.status.opening.map(({ network }) => network);
  const runs = (count: number) => expect.poll(() => processes.length === count && task.status.startedAt > 0, { interval: 5 }).toBe(true);
  const isLost = () => expect.poll(() => task.status.state === 'lost' && task.status.startedAt === 0, { interval: 5 }).toBe(true);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-supervised-'));
    [processes, found, told] = [[], [], []];
    task = newTask();
    task.start();
    await runs(1);
    await task.setOpening(lan);
  });
  afterEach(async () => {
    await task.stop();
    expect(await isFound()).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('is told by the task alone while it runs, and is for its next process too when it is restarted', async () => {
    expect(openings()).toEqual([]);
    task.start({ ...setup, virtualGpus: 2 });
    expect(openings()).toEqual(['10.0.0.0/24']);
    await runs(2);
    expect([openings(), await found[1]]).toEqual([['10.0.0.0/24'], true]);
  });

  it('waits for a task that was lost, and one that is started again by itself', async () => {
    processes[0]?.end();
    await isLost();
    expect([openings(), told.at(-1)]).toEqual([['10.0.0.0/24'], 1]);
    task.setRestart(true);
    task.start();
    await runs(2);
    processes[1]?.end();
    await runs(3);
    expect(await Promise.all(found)).toEqual([false, true, true]);
  });

  it('can be ended, and not be made, while the task does not run', async () => {
    processes[0]?.end();
    await isLost();
    await expect(task.setOpening(lan)).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION', message: '/job:ps/task:0 does not run' });
    await task.setOpening(undefined);
    expect([openings(), told.at(-1), await isFound()]).toEqual([[], 0, false]);
  });

  it.each([{ startId: 'second' }, { engine: 'tensorflow' }])('ends when the task comes back as another: %o', async (change) => {
    task.start({ ...setup, ...change });
    expect(openings()).toEqual([]);
    await runs(2);
    expect(await found[1]).toBe(false);
  });

  it('goes on with the next agent that has the task, and with no other', async () => {
    await task.leave();
    task = newTask();
    await task.goOn({ setup, restarts: 0, startedAt: 1, isPaused: false, loss: undefined }, 'its machine was started anew');
    expect(openings()).toEqual(['10.0.0.0/24']);
    task.start();
    await runs(2);
    await task.leave();
    task = newTask();
    task.start();
    await runs(3);
    expect(await Promise.all(found)).toEqual([false, true, false]);
  });
});
