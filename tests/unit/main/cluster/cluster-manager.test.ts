import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterManager } from '../../../../main/cluster/cluster-manager.ts';
import type { Machines } from '../../../../main/machines/machines.ts';
import type { SavedCluster, Store } from '../../../../main/store/index.ts';
import { FakeMachine, fakeMachines } from './fake-machines.ts';

const setup = (job: string, index: number) => ({
  ...{ cluster: 'theirs', clusterTitle: 'Class', engine: 'bundled', job, index },
  spec: JSON.stringify({ worker: { 0: '10.0.0.1:2222', 1: '10.0.0.2:2222' } }),
});

interface ManagerBench {
  readonly manager: ClusterManager;
  readonly machines: readonly FakeMachine[];
  saved(): readonly SavedCluster[];
}

async function openManager(names: readonly string[], before: readonly SavedCluster[] = []): Promise<ManagerBench> {
  const onTasks = new Set<() => void>();
  const tell = (): void => {
    for (const each of onTasks) each();
  };
  const all = names.map((name) => new FakeMachine(name, tell));
  const listen = (listener: { onTasks(): void }) => {
    onTasks.add(listener.onTasks);
    return () => onTasks.delete(listener.onTasks);
  };
  let saved = before;
  // As much of both as clusters use.
  const machines = { ...fakeMachines(all), members: all, listen } as unknown as Machines;
  const store = {
    settings: { read: async () => ({ ports: 'any' }) },
    clusters: {
      read: async () => saved,
      update: async (change: (clusters: readonly SavedCluster[]) => readonly SavedCluster[]) => {
        saved = change(saved);
      },
    },
  } as unknown as Store;
  const quiet = { onChange: () => undefined, onLog: () => undefined, log: () => undefined, gatewayOf: () => undefined };
  return { manager: await ClusterManager.open({ store, machines, ...quiet }), machines: all, saved: () => saved };
}

describe('clusters of other users', () => {
  let one: FakeMachine;
  let two: FakeMachine;
  let bench: ManagerBench;
  const found = () =>
    bench.manager.list().map(({ id, title, state, jobs }) => [id, title, state, jobs.flatMap(({ tasks }) => tasks).length]);

  beforeEach(async () => {
    bench = await openManager(['lab-1', 'lab-2']);
    [one, two] = bench.machines as [FakeMachine, FakeMachine];
  });
  afterEach(() => bench.manager.close());

  it('are seen as their tasks are, one machine after the other, and go when they are stopped', async () => {
    await one.agent.startTask(setup('worker', 0));
    await expect.poll(found).toEqual([['theirs', 'Class', 'running', 1]]);
    await two.agent.startTask(setup('worker', 1));
    await expect.poll(found).toEqual([['theirs', 'Class', 'running', 2]]);
    await bench.manager.get('theirs').stop();
    await expect.poll(found, { timeout: 3000 }).toEqual([]);
    expect([one.tasks.size, two.tasks.size, bench.saved()]).toEqual([0, 0, []]);
  });

  it('are kept by whoever changes them', async () => {
    await one.agent.startTask(setup('worker', 0));
    await expect.poll(found).toHaveLength(1);
    const { jobs } = bench.manager.get('theirs').saved;
    await bench.manager.save({ id: 'theirs', title: 'Ours', jobs });
    expect(bench.saved().map(({ title }) => title)).toEqual(['Ours']);
    await bench.manager.get('theirs').stop();
    expect(found()).toEqual([['theirs', 'Ours', 'stopped', 1]]);
  });
});

describe('a task of a machine that is lost', () => {
  const tasks = (...machines: string[]) =>
    machines.map((machine, index) => ({ index, machine, engine: 'bundled' as const, port: 0, virtualGpus: 0 }));
  const jobs = [
    { name: 'ps', tasks: tasks('a') },
    { name: 'worker', tasks: tasks('b', 'b', 'c') },
  ];
  let bench: ManagerBench;
  const places = () => bench.saved()[0]?.jobs.flatMap((job) => job.tasks.map(({ machine }) => machine));

  beforeEach(async () => {
    bench = await openManager(['a', 'b', 'c'], [{ id: 'x', title: 'Lab', jobs }]);
    await bench.manager.start('x');
  });
  afterEach(() => bench.manager.close());

  it('goes to another one with its neighbours, and all are started anew', async () => {
    const [, b, c] = bench.machines;
    if (b) b.isOnline = false;
    const info = await bench.manager.move('x', '/job:worker/replica:0/task:1', 'c');
    expect([info.state, places()]).toEqual(['running', ['a', 'c', 'c', 'c']]);
    expect(c?.asked.filter((each) => /start/.test(each))).toEqual([
      'start x/job:worker/task:2',
      ...['start x/job:worker/task:0', 'start x/job:worker/task:1', 'restart x/job:worker/task:2'],
    ]);
  });

  it('goes alone while its machine is there', async () => {
    await bench.manager.move('x', '/job:worker/replica:0/task:1', 'a');
    expect(places()).toEqual(['a', 'b', 'a', 'c']);
  });

  it('stays where it is when the other machine is not there, or it does not exist', async () => {
    const [, , c] = bench.machines;
    if (c) c.isOnline = false;
    await expect(bench.manager.move('x', '/job:ps/replica:0/task:0', 'c')).rejects.toThrow('c cannot be reached: c was unplugged');
    await expect(bench.manager.move('x', '/job:ps/replica:0/task:0', 'd')).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    await expect(bench.manager.move('x', '/job:ps/replica:0/task:7', 'b')).rejects.toThrow(
      "Cluster 'Lab' has no task /job:ps/replica:0/task:7",
    );
    expect([places(), bench.machines[0]?.asked.length]).toEqual([['a', 'b', 'b', 'c'], 2]);
  });
});
