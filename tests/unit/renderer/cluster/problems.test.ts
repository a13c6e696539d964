import { describe, expect, it } from 'vitest';
import type { MachineInfo, TaskDraft } from '#proto/ipc/contract.ts';
import type { Draft } from '../../../../renderer/features/cluster/draft.ts';
import { findProblems, isStartable } from '../../../../renderer/features/cluster/problems.ts';
import { machineOf } from '../machines/machine-of.ts';

const machine = machineOf({ id: 'here', name: 'lab-01' });
const away = machineOf({ id: 'away', name: 'lab-07', state: 'lost' });
const task = (change: Partial<TaskDraft> = {}): TaskDraft => ({
  index: 0,
  machine: 'here',
  engine: 'bundled',
  port: 0,
  virtualGpus: 0,
  ...change,
});
const cluster = (jobs: Record<string, readonly TaskDraft[]>): Draft => ({
  title: '',
  jobs: Object.entries(jobs).map(([name, tasks]) => ({ name, tasks })),
});
const kinds = (draft: Draft) => findProblems(draft, [machine, away]).map(({ kind, job, task: place }) => [kind, job, place]);

describe('problems of a draft', () => {
  it('are none where there is none', () => {
    expect(kinds(cluster({ ps: [task()], worker: [task(), task({ index: 1, port: 2222 })] }))).toEqual([]);
  });

  it('tell of nothing to start', () => {
    expect(kinds(cluster({}))).toEqual([['noTasks', undefined, undefined]]);
    expect(kinds(cluster({ ps: [] }))).toEqual([
      ['noTasks', undefined, undefined],
      ['emptyJob', 0, undefined],
    ]);
  });

  it('name bad and repeated job names', () => {
    for (const name of ['', '1ps', 'a-b', '参数', 'a b'])
      expect(kinds(cluster({ [name]: [task()] }))).toEqual([['badJobName', 0, undefined]]);
    const twice = {
      title: '',
      jobs: [
        { name: 'ps', tasks: [task()] },
        { name: 'ps', tasks: [task()] },
      ],
    };
    expect(kinds(twice)).toEqual([
      ['sameJobName', 0, undefined],
      ['sameJobName', 1, undefined],
    ]);
  });

  it('find two tasks at one port of one machine, in whatever jobs', () => {
    const draft = cluster({ ps: [task({ port: 2222 })], worker: [task({ port: 2222 }), task({ index: 1, port: 2223 })] });
    expect(kinds(draft)).toEqual([
      ['samePort', 0, 0],
      ['samePort', 1, 0],
    ]);
  });

  it('let ports be chosen at the start, and be the same on two machines', () => {
    const draft = cluster({
      ps: [task(), task({ index: 1 })],
      worker: [task({ port: 2222 }), task({ index: 1, port: 2222, machine: 'there' })],
    });
    expect(findProblems(draft, undefined)).toEqual([]);
  });

  it('find what cannot be a port or a number of cards', () => {
    for (const port of [-1, 65_536, 1.5, Number.NaN]) expect(kinds(cluster({ ps: [task({ port })] }))).toEqual([['badPort', 0, 0]]);
    for (const virtualGpus of [-1, 17, 0.5]) expect(kinds(cluster({ ps: [task({ virtualGpus })] }))).toEqual([['badGpus', 0, 0]]);
  });

  it('tell an unknown machine, once the machines are known', () => {
    const draft = cluster({ ps: [task({ machine: 'gone' })] });
    expect(kinds(draft)).toEqual([['unknownMachine', 0, 0]]);
    expect(findProblems(draft, undefined)).toEqual([]);
  });

  it('tell of an engine that the machine lacks, but not of one that is not known', () => {
    const tensorflow = { name: 'tensorflow', version: '', title: '', path: '', problem: 'Install it' } as const;
    const draft = cluster({ ps: [task({ engine: 'tensorflow' })], worker: [task()] });
    const problemsOn = (engines: MachineInfo['engines']) => findProblems(draft, [machineOf({ id: 'here', name: 'lab-01', engines })]);
    expect(problemsOn([tensorflow])).toEqual([{ kind: 'noEngine', severity: 'error', what: 'lab-01', job: 0, task: 0 }]);
    expect(problemsOn([{ ...tensorflow, problem: '' }])).toEqual([]);
    expect(problemsOn([])).toEqual([]);
  });

  it('warn of gaps and ignored cards, which may still start', () => {
    const problems = findProblems(cluster({ l: [task({ index: 3, engine: 'tensorflow', virtualGpus: 2 })] }), [machine]);
    expect(problems.map(({ kind }) => kind)).toEqual(['gap', 'gpusIgnored']);
    expect(isStartable(problems)).toBe(true);
  });

  it('do not let two tasks with one index start', () => {
    const problems = findProblems(cluster({ l: [task(), task()] }), [machine]);
    expect(problems.map(({ kind }) => kind)).toEqual(['sameIndex']);
    expect(isStartable(problems)).toBe(false);
  });
});
