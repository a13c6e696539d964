import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { movedWith, placesFor } from '../../../../renderer/features/cluster/move.ts';
import { machineOf } from '../machines/machine-of.ts';

// Only what is looked at here.
const task = (name: string, machine: string) => ({ name, machine }) as TaskInfo;
const tasks = [task('a', 'lost'), task('b', 'lab-01'), task('c', 'lost')] as const;
const cluster: Pick<ClusterInfo, 'jobs'> = { jobs: [{ name: 'w', tasks }] };

describe('a task that is moved', () => {
  it('takes its neighbours along where their machine is not there', () => {
    const online = [machineOf()];
    expect(movedWith(cluster, tasks[0], online).map(({ name }) => name)).toEqual(['a', 'c']);
    expect(movedWith(cluster, tasks[1], online).map(({ name }) => name)).toEqual(['b']);
  });

  it('goes by itself to the machine with the least to do', () => {
    const machines = [
      machineOf({ id: 'busy', load: 0.9 }),
      machineOf({ id: 'full', load: 0.1, tasks: 8, cores: 2 }),
      machineOf({ id: 'idle', load: 0.2, tasks: 1, cores: 8 }),
      machineOf({ id: 'own', load: 0 }),
    ];
    const places = placesFor([{ machine: 'own', engine: 'bundled' }], machines);
    expect(places.map(({ id }) => id)).toEqual(['idle', 'busy', 'full']);
  });

  it('goes only where its engine is, as far as machines tell', () => {
    const lacking = { name: 'tensorflow', version: '', title: '', path: '', problem: 'There is no TensorFlow' } as const;
    const machines = [machineOf({ id: 'lacks', engines: [lacking] }), machineOf({ id: 'unknown' })];
    const places = (engine: 'bundled' | 'tensorflow') => placesFor([{ machine: 'own', engine }], machines).map(({ id }) => id);
    expect([places('bundled'), places('tensorflow')]).toEqual([['lacks', 'unknown'], ['unknown']]);
  });
});
