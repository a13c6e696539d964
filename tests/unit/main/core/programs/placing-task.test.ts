import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { placingTask, toExpected, wantedTask } from '../../../../../main/core/programs/placing-task.ts';

const PS = '/job:ps/replica:0/task:0';
const WORKER = '/job:worker/replica:0/task:0';

type Engines = Readonly<Record<string, TaskInfo['engine']>>;

/** One task of each job, all of them running or none. */
function clusterOf(engines: Engines, state: ClusterInfo['state']): ClusterInfo {
  const task = (job: string, engine: TaskInfo['engine']): TaskInfo => ({
    ...{ index: 0, machine: 'm', engine, port: 0, virtualGpus: 1, name: `/job:${job}/replica:0/task:0`, reason: '' },
    ...{ address: `${job}:1`, startedAt: 1, incarnation: '', memory: 0, heartbeatAge: 0, stepsPerSecond: -1, restarts: 0 },
    state: state === 'stopped' ? 'stopped' : 'running',
  });
  const jobs = Object.entries(engines).map(([name, engine]) => ({ name, tasks: [task(name, engine)] }));
  return { id: 'c', title: 'C', state, jobs };
}

describe('who is asked for a placement', () => {
  it('is the master of the client, when it is a bundled task that runs', async () => {
    const cluster = clusterOf({ ps: 'bundled', worker: 'bundled' }, 'running');
    expect(await placingTask(cluster, WORKER)).toEqual({ address: 'worker:1', master: WORKER });
    expect(await placingTask(cluster, `${WORKER} #2`)).toEqual({ address: 'worker:1', master: WORKER });
    expect(await placingTask(cluster, 'client')).toEqual({ address: 'ps:1', master: PS });
  });

  it('is another one, on behalf of a genuine master, whose rule it then is', async () => {
    const cluster = clusterOf({ ps: 'bundled', worker: 'tensorflow' }, 'running');
    expect(await placingTask(cluster, WORKER)).toEqual({ address: 'ps:1', master: WORKER, rule: 'local' });
    expect(await placingTask(cluster, 'client')).toEqual({ address: 'ps:1', master: PS });
  });

  it('is a private task with the devices that will be, when the cluster does not run', async () => {
    const devices = [PS, WORKER].flatMap((task) => [`${task}/device:CPU:0`, `${task}/device:GPU:0`]);
    const stopped = clusterOf({ ps: 'bundled', worker: 'tensorflow' }, 'stopped');
    expect(await placingTask(stopped, 'client')).toEqual({ devices, master: PS });
    expect(await placingTask(stopped, WORKER)).toEqual({ devices, master: WORKER, rule: 'local' });
    const running = clusterOf({ ps: 'bundled', worker: 'bundled' }, 'running');
    expect(toExpected(running, await placingTask(running, WORKER))).toEqual({ devices, master: WORKER });
  });

  it('is a private task for a cluster that is only wished for, or for none', () => {
    expect(wantedTask({ cluster: { ps: 1, worker: 1 }, virtualGpus: 0 }, `${WORKER} #3`)).toEqual({
      devices: [`${PS}/device:CPU:0`, `${WORKER}/device:CPU:0`],
      master: WORKER,
    });
    expect(wantedTask({ cluster: {}, virtualGpus: 1 }, 'client')).toEqual({
      devices: ['CPU', 'GPU'].map((type) => `/job:localhost/replica:0/task:0/device:${type}:0`),
      master: '/job:localhost/replica:0/task:0',
    });
  });
});
