import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptTasks } from '../../../../../../task-server/agent/tasks/kept/kept-tasks.ts';
import { markOf } from '../../../../../../task-server/agent/tasks/kept/process-mark.ts';
import { readRecord, type TaskRecord, writeRecord } from '../../../../../../task-server/agent/tasks/kept/task-record.ts';
import type { TaskFacts } from '../../../../../../task-server/agent/tasks/task-runner.ts';

const facts: TaskFacts = {
  setup: {
    ...{ cluster: 'c', clusterTitle: 'Lab', job: 'worker', index: 3, spec: '{"worker":{"3":"127.0.0.1:7"}}' },
    ...{ engine: 'bundled', placement: 'local', virtualGpus: 2, startId: 's', restart: true, allow: ['10.0.0.0/8=60'], plaintext: [] },
  },
  ...{ restarts: 2, startedAt: 1_796_072_758_831, isPaused: true, loss: undefined },
};
const log = { offset: 5_000_000_000, number: 70_000, time: 1_796_072_758_831 };
const record = (): TaskRecord => ({ facts, process: { mark: markOf(process.pid), address: '127.0.0.1:7', firstLine: 12 }, log });

describe('the records of tasks that outlive their agent', () => {
  let folder: string;
  let path: string;
  let warned: string[];
  let tasks: KeptTasks;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-kept-'));
    path = join(folder, 'tasks', 'one.json');
    warned = [];
    tasks = new KeptTasks({ folder, warn: (text) => warned.push(text), keptLines: 10 });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const change = async (edit: (text: string) => string) => writeFile(path, edit(await readFile(path, 'utf8')));

  it.each([
    ['runs', record()],
    [
      'was lost',
      { facts: { ...facts, startedAt: 0, isPaused: false, loss: { reason: 'why', code: 14 as const } }, process: undefined, log },
    ],
  ])('tell all of one that %s', async (_, told) => {
    await writeRecord(path, told);
    const { facts: read, ...rest } = await readRecord(path);
    expect(read).toMatchObject({ ...told.facts, setup: { ...facts.setup } });
    expect(rest).toMatchObject({ process: told.process, log: told.log });
  });

  it('say what has become of a process: nothing, an end, or another start of its machine', async () => {
    await writeRecord(path, record());
    const fate = async () => (await tasks.open()).map((task) => [task.id, task.fate]);
    expect(await fate()).toEqual([['c/job:worker/task:3', 'its process has ended while no agent watched it']]);
    await change((text) => text.replace(/"boot": *"[^"]*"/, '"boot": "another"'));
    expect(await fate()).toEqual([['c/job:worker/task:3', 'its machine was started anew']]);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['cut off', (text) => text.slice(0, 90), /one\.json is damaged: /],
    ['empty', () => '', /one\.json is damaged: /],
    ['of another kind', () => '{}', /one\.json is damaged: it lacks what makes a task/],
    ['without the task in its cluster', (text) => text.replace('"worker"', '"ps"'), /one\.json is damaged: The cluster has no address/],
    ['of a later version', (text) => text.replace('"version": 1', '"version": 2'), /one\.json was written by a later version/],
  ])('are named and left alone where one is %s, and the others count', async (_, damage, message) => {
    await writeRecord(path, record());
    await change(damage);
    await writeRecord(join(folder, 'tasks', 'two.json'), record());
    for (const half of ['three.json.1.tmp', 'four.log']) await writeFile(join(folder, 'tasks', half), 'half');
    await writeFile(join(folder, 'tasks', 'one.log'), 'what it said');
    expect(await tasks.open()).toHaveLength(1);
    expect(warned).toEqual([expect.stringMatching(message)]);
    expect((await readdir(join(folder, 'tasks'))).sort()).toEqual(['one.json', 'one.log', 'two.json']);
  });

  it('of a version to come with something more are read', async () => {
    await writeRecord(path, record());
    await change((text) => text.replace('"version": 1', '"version": 1, "mood": "good"'));
    expect([await tasks.open(), warned]).toMatchObject([[{ id: 'c/job:worker/task:3' }], []]);
  });

  it('leave no folder where there is none of them', async () => {
    expect(await tasks.open()).toEqual([]);
    await tasks.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
