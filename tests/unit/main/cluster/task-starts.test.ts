import { expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { TaskStarts } from '../../../../main/cluster/task-starts.ts';

const task = (name: string, startedAt: number): TaskInfo => ({
  ...{ name, startedAt, index: 0, machine: 'm', engine: 'bundled', port: 0, virtualGpus: 0, state: 'running', reason: '', address: '' },
  ...{ incarnation: '', memory: 0, heartbeatAge: 0, stepsPerSecond: -1, restarts: 0 },
});
const cluster = (...starts: number[]): Pick<ClusterInfo, 'jobs'> => ({
  jobs: [{ name: 'ps', tasks: starts.map((startedAt, index) => task(`ps ${index}`, startedAt)) }],
});

it('a task that was started again is told once, when it is up', () => {
  const starts = new TaskStarts(cluster(10, 20));
  expect(starts.note(cluster(10, 20))).toEqual([]);
  expect(starts.note(cluster(0, 20))).toEqual([]);
  expect(starts.note(cluster(30, 20))).toEqual(['ps 0']);
  expect(starts.note(cluster(30, 20))).toEqual([]);
});

it('a task whose machine is away for a while, and one that comes up for the first time, are none', () => {
  const starts = new TaskStarts(cluster(10, 0));
  expect(starts.note(cluster(0, 0))).toEqual([]);
  expect(starts.note(cluster(10, 40))).toEqual([]);
  expect(starts.note(cluster(10, 40, 50))).toEqual([]);
});

it('clocks of machines may differ: an earlier time is another start too', () => {
  expect(new TaskStarts(cluster(50)).note(cluster(10))).toEqual(['ps 0']);
});
