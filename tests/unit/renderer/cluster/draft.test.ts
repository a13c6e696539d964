import { describe, expect, it } from 'vitest';
import {
  addJob,
  addTask,
  adoptJobs,
  changeTask,
  type Draft,
  freeJobName,
  moveTask,
  neighbourPlace,
  removeJob,
  removeTask,
  renameJob,
  renumber,
} from '../../../../renderer/features/cluster/draft.ts';
import { fromPreset, presets } from '../../../../renderer/features/cluster/presets.ts';

const [psWorkers, canshuGongzuo] = presets;
if (!psWorkers || !canshuGongzuo) throw new Error('the presets of the lessons are there');
const draft = fromPreset(psWorkers, ['here']);

/** `ps:0 worker:0,1`, with the machine where it is not `here`. */
function text({ jobs }: Draft): string {
  return jobs
    .map(
      ({ name, tasks }) => `${name}:${tasks.map(({ index, machine }) => (machine === 'here' ? index : `${index}@${machine}`)).join(',')}`,
    )
    .join(' ');
}

describe('a draft of a cluster', () => {
  it('comes from the presets of the lessons', () => {
    expect(presets.map((preset) => text(fromPreset(preset, ['here'])))).toEqual([
      'ps:0 worker:0,1',
      'canshu:0,1 gongzuo:0,1',
      'A:0 B:0 C:0 D:0',
    ]);
  });

  it('comes from a preset on all machines in turn', () => {
    expect(text(fromPreset(canshuGongzuo, ['here', 'a', 'b']))).toBe('canshu:0,1@a gongzuo:0@b,1');
  });

  it('gets tasks with the lowest free index', () => {
    const sparse = {
      ...draft,
      jobs: [
        { name: 'l', tasks: [1, 3].map((index) => ({ index, machine: 'here', engine: 'bundled' as const, port: 0, virtualGpus: 0 })) },
      ],
    };
    expect(text(addTask(draft, 1, 'lab'))).toBe('ps:0 worker:0,1,2@lab');
    expect(text(addTask(addTask(sparse, 0, 'lab'), 0, 'lab'))).toBe('l:0@lab,1,2@lab,3');
  });

  it('closes the gap behind a removed task, but leaves sparse indexes alone', () => {
    const three = addTask(addTask(draft, 1, 'b'), 1, 'c');
    expect(text(removeTask(three, { job: 1, task: 1 }))).toBe('ps:0 worker:0,1@b,2@c');
    const sparse: Draft = {
      title: '',
      jobs: [{ name: 'l', tasks: [0, 2, 5].map((index) => ({ index, machine: 'here', engine: 'bundled', port: 0, virtualGpus: 0 })) }],
    };
    expect(text(removeTask(sparse, { job: 0, task: 0 }))).toBe('l:2,5');
    expect(text(renumber(sparse, 0))).toBe('l:0,1,2');
  });

  it('moves tasks within a job and to another one', () => {
    const mixed = changeTask(addTask(draft, 1, 'c'), { job: 1, task: 0 }, { machine: 'a' });
    expect(text(moveTask(mixed, { job: 1, task: 0 }, { job: 0, task: 0 }))).toBe('ps:0@a,1 worker:0,1@c');
    expect(text(moveTask(mixed, { job: 1, task: 0 }, { job: 1, task: 3 }))).toBe('ps:0 worker:0,1@c,2@a');
    expect(text(moveTask(mixed, { job: 1, task: 2 }, { job: 1, task: 0 }))).toBe('ps:0 worker:0@c,1@a,2');
    expect(moveTask(mixed, { job: 9, task: 0 }, { job: 0, task: 0 })).toBe(mixed);
  });

  it('gains, renames and loses jobs', () => {
    expect(text(renameJob(removeJob(addJob(draft, 'eval'), 0), 1, 'test'))).toBe('worker:0,1 test:');
  });

  it('proposes a job name that is free', () => {
    const empty: Draft = { title: '', jobs: [] };
    expect(freeJobName(empty)).toBe('ps');
    expect(freeJobName(draft)).toBe('job1');
    expect(freeJobName(addJob(draft, 'job1'))).toBe('job2');
  });

  it('steps a task through its job and on to the next with the keyboard', () => {
    expect(neighbourPlace(draft, { job: 1, task: 0 }, 1)).toEqual({ before: { job: 1, task: 2 }, lands: { job: 1, task: 1 } });
    expect(neighbourPlace(draft, { job: 1, task: 0 }, -1)).toEqual({ before: { job: 0, task: 1 }, lands: { job: 0, task: 1 } });
    expect(neighbourPlace(draft, { job: 0, task: 0 }, 1)).toEqual({ before: { job: 1, task: 0 }, lands: { job: 1, task: 0 } });
    expect(neighbourPlace(draft, { job: 1, task: 1 }, 1)).toBeUndefined();
    const marked = changeTask(draft, { job: 1, task: 0 }, { machine: 'a' });
    const step = neighbourPlace(marked, { job: 1, task: 0 }, 1);
    expect(step && text(moveTask(marked, { job: 1, task: 0 }, step.before))).toBe('ps:0 worker:0,1@a');
  });

  it('takes over the jobs of a text and keeps what no text tells', () => {
    const cards = changeTask(draft, { job: 1, task: 1 }, { virtualGpus: 2, engine: 'tensorflow', port: 2222 });
    const [, worker] = fromPreset(psWorkers, ['there']).jobs;
    const adopted = adoptJobs(cards, worker ? [worker] : []);
    expect(text(adopted)).toBe('worker:0@there,1@there');
    expect(adopted.jobs[0]?.tasks[1]).toMatchObject({ virtualGpus: 2, engine: 'tensorflow', port: 0, machine: 'there' });
  });

  it('is never changed in place', () => {
    const before = JSON.stringify(draft);
    moveTask(changeTask(addTask(draft, 0, 'x'), { job: 0, task: 0 }, { port: 1 }), { job: 1, task: 0 }, { job: 0, task: 0 });
    expect(JSON.stringify(draft)).toBe(before);
  });
});
