import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo, TaskState } from '#proto/ipc/contract.ts';
import {
  draftOf,
  hasSecuredTask,
  jobCounts,
  openTasks,
  shortTask,
  startProgress,
  stopReport,
  withoutTask,
} from '../../../../renderer/features/cluster/cluster-life.ts';

function task(job: string, index: number, state: TaskState, reason = ''): TaskInfo {
  const name = `/job:${job}/replica:0/task:${index}`;
  return {
    index,
    machine: 'here',
    engine: 'bundled',
    port: 0,
    virtualGpus: 0,
    name,
    state,
    reason,
    address: '127.0.0.1:7',
    startedAt: 0,
    incarnation: '',
    memory: 0,
    heartbeatAge: -1,
    stepsPerSecond: -1,
    restarts: 0,
  };
}

const cluster = (...tasks: TaskInfo[]): ClusterInfo => ({
  id: 'c',
  title: 'lab',
  state: 'starting',
  jobs: [
    { name: 'ps', tasks: tasks.slice(0, 1) },
    { name: 'worker', tasks: tasks.slice(1) },
  ],
});
const refused = 'waiting for /job:ps/task:0 at 127.0.0.1:7 – connection refused';

describe('the life of a cluster', () => {
  it('tells how far a start is and who keeps it waiting [U04]', () => {
    const progress = startProgress(cluster(task('ps', 0, 'waiting', refused), task('worker', 0, 'running'), task('worker', 1, 'starting')));
    expect([progress.up, progress.all, progress.waiting.map(({ reason }) => reason)]).toEqual([1, 3, [refused]]);
  });

  it('goes on without a task that does not come up, and without its job when it was the only one', () => {
    const info = cluster(task('ps', 0, 'waiting', refused), task('worker', 0, 'running'), task('worker', 1, 'running'));
    expect(withoutTask(info, '/job:ps/replica:0/task:0').jobs.map(({ name, tasks }) => [name, tasks.length])).toEqual([['worker', 2]]);
    expect(withoutTask(info, '/job:worker/replica:0/task:0').jobs.map(({ tasks }) => tasks.map(({ index }) => index))).toEqual([[0], [1]]);
  });

  it('reports a stop task by task [U13]', () => {
    const report = stopReport(cluster(task('ps', 0, 'stopped'), task('worker', 0, 'stopped'), task('worker', 1, 'lost', 'did not answer')));
    expect([report.stopped.length, report.unreached.map(({ name }) => name)]).toEqual([2, ['/job:worker/replica:0/task:1']]);
  });

  it('gives back the draft without what only a running cluster has', () => {
    expect(Object.keys(draftOf(cluster(task('ps', 0, 'running'))).jobs[0]?.tasks[0] ?? {})).toEqual([
      'index',
      'machine',
      'engine',
      'port',
      'virtualGpus',
    ]);
  });

  it('counts tasks job by job', () => {
    expect(
      jobCounts([
        ['ps', 1],
        ['worker', 2],
      ]),
    ).toBe('ps × 1, worker × 2');
  });

  it('leaves out the replica, of which there is one only', () => {
    expect(shortTask('/job:ps/replica:0/task:1')).toBe('/job:ps/task:1');
  });
});

describe('a cluster with tasks elsewhere', () => {
  const elsewhere = { ...task('worker', 0, 'running'), machine: 'there' };
  const genuine = { ...elsewhere, engine: 'tensorflow' } as const;

  it('has secured ones among them, but for genuine TensorFlow', () => {
    const has = (...tasks: TaskInfo[]) => hasSecuredTask(cluster(...tasks), 'here');
    expect([has(task('ps', 0, 'running')), has(elsewhere), has(genuine)]).toEqual([false, true, false]);
  });

  it('has tasks that are open to all while genuine TensorFlow runs', () => {
    const names = (...tasks: TaskInfo[]) => openTasks(cluster(...tasks)).map(({ name }) => name);
    expect([names(elsewhere), names({ ...genuine, state: 'stopped' }), names(elsewhere, genuine)]).toEqual([[], [], [genuine.name]]);
  });
});
