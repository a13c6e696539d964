import { describe, expect, it } from 'vitest';
import { foundClusters } from '../../../../main/cluster/found-clusters.ts';
import { FakeMachine } from './fake-machines.ts';

const spec = JSON.stringify({ worker: { 0: '10.0.0.1:2222', 1: '10.0.0.2:2223' }, ps: { 0: '10.0.0.1:2221' } });

async function lab() {
  const [one, two] = [new FakeMachine('lab-1', () => undefined), new FakeMachine('lab-2', () => undefined)];
  const start = (machine: FakeMachine, job: string, index: number, more = {}) =>
    machine.agent.startTask({ cluster: 'c', clusterTitle: 'Class', spec, engine: 'bundled', job, index, ...more });
  await start(two, 'worker', 1, { virtualGpus: 2 });
  await start(one, 'worker', 0, { restart: true });
  await start(one, 'ps', 0, { engine: 'tensorflow' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [one, two];
}

describe('a cluster of another user', () => {
  it('is found with all its tasks, wherever they run', async () => {
    expect(foundClusters(await lab(), () => false)).toEqual([
      {
        id: 'c',
        title: 'Class',
        jobs: [
          { name: 'ps', tasks: [{ index: 0, machine: 'lab-1', engine: 'tensorflow', port: 2221, virtualGpus: 0, restart: false }] },
          {
            name: 'worker',
            tasks: [
              { index: 0, machine: 'lab-1', engine: 'bundled', port: 2222, virtualGpus: 0, restart: true },
              { index: 1, machine: 'lab-2', engine: 'bundled', port: 2223, virtualGpus: 2, restart: false },
            ],
          },
        ],
      },
    ]);
  });

  it('is none when it is known already', async () => {
    expect(foundClusters(await lab(), (id) => id === 'c')).toEqual([]);
  });
});
