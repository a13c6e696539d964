import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterManager } from '../../../../main/cluster/cluster-manager.ts';
import type { Machines } from '../../../../main/machines/machines.ts';
import type { SavedCluster, Store } from '../../../../main/store/index.ts';
import { FakeMachine, fakeMachines } from './fake-machines.ts';

const setup = (job: string, index: number) => ({
  ...{ cluster: 'theirs', clusterTitle: 'Class', engine: 'bundled', job, index },
  spec: JSON.stringify({ worker: { 0: '10.0.0.1:2222', 1: '10.0.0.2:2222' } }),
});

describe('clusters of other users', () => {
  const onTasks = new Set<() => void>();
  let saved: readonly SavedCluster[];
  let [one, two] = [new FakeMachine('lab-1', () => undefined), new FakeMachine('lab-2', () => undefined)];
  let manager: ClusterManager;

  // As much of them as clusters use.
  const machines = (): Machines => {
    const listen = (listener: { onTasks(): void }) => {
      onTasks.add(listener.onTasks);
      return () => onTasks.delete(listener.onTasks);
    };
    return { ...fakeMachines([one, two]), members: [one, two], listen } as unknown as Machines;
  };
  const store = {
    settings: { read: async () => ({ ports: 'any' }) },
    clusters: {
      read: async () => saved,
      update: async (change: (all: readonly SavedCluster[]) => readonly SavedCluster[]) => {
        saved = change(saved);
      },
    },
  } as unknown as Store;
  const found = () => manager.list().map(({ id, title, state, jobs }) => [id, title, state, jobs.flatMap(({ tasks }) => tasks).length]);

  beforeEach(async () => {
    saved = [];
    const tell = (): void => {
      for (const each of onTasks) each();
    };
    [one, two] = [new FakeMachine('lab-1', tell), new FakeMachine('lab-2', tell)];
    const quiet = { onChange: () => undefined, onLog: () => undefined, log: () => undefined, gatewayOf: () => ({}) };
    manager = await ClusterManager.open({ store, machines: machines(), ...quiet });
  });

  afterEach(() => {
    manager.close();
    onTasks.clear();
  });

  it('are seen as their tasks are, one machine after the other, and go when they are stopped', async () => {
    await one.agent.startTask(setup('worker', 0));
    await expect.poll(found).toEqual([['theirs', 'Class', 'running', 1]]);
    await two.agent.startTask(setup('worker', 1));
    await expect.poll(found).toEqual([['theirs', 'Class', 'running', 2]]);
    await manager.get('theirs').stop();
    await expect.poll(found, { timeout: 3000 }).toEqual([]);
    expect([one.tasks.size, two.tasks.size, saved]).toEqual([0, 0, []]);
  });

  it('are kept by whoever changes them', async () => {
    await one.agent.startTask(setup('worker', 0));
    await expect.poll(found).toHaveLength(1);
    const { jobs } = manager.get('theirs').saved;
    await manager.save({ id: 'theirs', title: 'Ours', jobs });
    expect(saved.map(({ title }) => title)).toEqual(['Ours']);
    await manager.get('theirs').stop();
    expect(found()).toEqual([['theirs', 'Ours', 'stopped', 1]]);
  });
});
