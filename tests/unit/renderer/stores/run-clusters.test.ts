import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { clusterOf, misfitOf } from '../../../../renderer/stores/run-clusters.ts';

const task = (job: string, index: number): TaskInfo => ({
  ...{ index, machine: 'm', engine: 'bundled', port: 0, virtualGpus: 0, name: `/job:${job}/replica:0/task:${index}` },
  ...{
    state: 'running',
    reason: '',
    address: '',
    startedAt: 50,
    incarnation: '',
    memory: 0,
    heartbeatAge: 0,
    stepsPerSecond: -1,
    restarts: 0,
  },
});
const cluster = (id: string, state: ClusterInfo['state'] = 'running'): ClusterInfo => ({
  id,
  title: id,
  state,
  jobs: [
    { name: 'ps', tasks: [task('ps', 0)] },
    { name: 'worker', tasks: [task('worker', 0), task('worker', 1)] },
  ],
});

describe('misfitOf', () => {
  const program = (wanted: Record<string, number>, virtualGpus = 0) => ({ cluster: wanted, virtualGpus });

  it('is nothing where all tasks are there and run', () => {
    expect(misfitOf(program({ ps: 1, worker: 2 }), cluster('a'))).toBeUndefined();
    expect(misfitOf(program({}), cluster('a', 'degraded'))).toBeUndefined();
  });

  it('names the job, and then what else is missing', () => {
    expect(misfitOf(program({ chief: 1 }), cluster('a'))).toEqual({ kind: 'tasks', job: 'chief', wanted: 1, present: 0 });
    expect(misfitOf(program({ worker: 3 }), cluster('a'))).toEqual({ kind: 'tasks', job: 'worker', wanted: 3, present: 2 });
    expect(misfitOf(program({ ps: 1 }, 2), cluster('a'))).toEqual({ kind: 'cards', job: 'ps', wanted: 2 });
    expect(misfitOf(program({ ps: 1 }), cluster('a', 'stopped'))).toEqual({ kind: 'stopped' });
  });
});

describe('clusterOf', () => {
  it('is the one that the run was started on, while there is one', () => {
    expect(clusterOf({ clusterId: 'b' }, [cluster('a'), cluster('b', 'stopped')])?.id).toBe('b');
    expect(clusterOf({ clusterId: 'c' }, [cluster('a')])).toBeUndefined();
  });

  it('is none of the user’s for a run that had its own, whatever their tasks are called', () => {
    expect(clusterOf({}, [cluster('a')])).toBeUndefined();
  });
});
