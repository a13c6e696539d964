import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo, TaskState } from '#proto/ipc/contract.ts';
import { spreadJobs } from '../../../../renderer/stores/cluster-drafts.ts';
import { tasksOn } from '../../../../renderer/stores/machine-tasks.ts';

const task = (machine: string, state: TaskState): TaskInfo => ({
  ...{ index: 0, machine, engine: 'bundled', port: 0, virtualGpus: 0, name: '/job:ps/replica:0/task:0', state, reason: '' },
  ...{ address: '', startedAt: 0, incarnation: '', memory: 0, heartbeatAge: -1, stepsPerSecond: -1, restarts: 0 },
});

describe('tasks on machines', () => {
  it('are put on them in turn, job after job', () => {
    const jobs = spreadJobs(
      [
        ['ps', 1],
        ['worker', 3],
      ],
      ['a', 'b', 'c'],
    );
    expect(jobs.map(({ name, tasks }) => [name, tasks.map(({ index, machine }) => `${index}@${machine}`)])).toEqual([
      ['ps', ['0@a']],
      ['worker', ['0@b', '1@c', '2@a']],
    ]);
  });

  it('count when they run there', () => {
    const tasks = [task('here', 'running'), task('here', 'stopped'), task('here', 'lost'), task('there', 'running')];
    const cluster: ClusterInfo = { id: 'c', title: '', state: 'degraded', jobs: [{ name: 'ps', tasks }] };
    expect(tasksOn({ id: 'here' }, [cluster])).toEqual([tasks[0]]);
  });
});
