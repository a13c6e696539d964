import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskDraft, TaskPorts } from '#proto/ipc/contract.ts';
import { ManagedCluster } from '../../../../main/cluster/managed-cluster.ts';
import type { SavedCluster } from '../../../../main/store/index.ts';
import { FakeMachine, fakeMachines, portTaken } from './fake-machines.ts';

const task = (index: number, machine: string, more: Partial<TaskDraft> = {}): TaskDraft => ({
  ...{ index, machine, engine: 'bundled', port: 0, virtualGpus: 0 },
  ...more,
});
const saved = (...workers: TaskDraft[]): SavedCluster => ({
  id: 'c',
  title: 'Lab',
  jobs: [
    { name: 'ps', tasks: [task(0, 'a')] },
    { name: 'worker', tasks: workers },
  ],
});

describe('a cluster on two machines', () => {
  let clusters: ManagedCluster[];
  let cluster: ManagedCluster;
  let a: FakeMachine;
  let b: FakeMachine;
  let keptAs: SavedCluster | undefined;
  let ports: TaskPorts;

  const open = (of: SavedCluster): ManagedCluster => {
    const opened = new ManagedCluster(of, { machines: fakeMachines([a, b]), ports: async () => ports, onChange: () => undefined });
    clusters.push(opened);
    return opened;
  };
  const states = (of = cluster) => of.info.jobs.flatMap(({ tasks }) => tasks.map(({ state }) => state)).join(' ');
  const change = async (to: SavedCluster) => {
    for (const { asked } of [a, b]) asked.length = 0;
    await cluster.change(to, async () => {
      keptAs = to;
    });
  };

  beforeEach(() => {
    clusters = [];
    keptAs = undefined;
    ports = 'any';
    const tell = (): void => {
      for (const each of clusters) each.update();
    };
    [a, b] = [new FakeMachine('a', tell), new FakeMachine('b', tell)];
    cluster = open(saved(task(0, 'a'), task(1, 'b')));
  });

  it('does not start where a machine lacks an engine, and says which and what to do', async () => {
    cluster = open(saved(task(0, 'a'), task(1, 'b', { engine: 'tensorflow' })));
    b.engines = { bundled: '', tensorflow: 'Install it.' };
    await expect(cluster.start()).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message:
        "b cannot run /job:worker/replica:0/task:1 with the engine 'tensorflow'; choose another engine or machine for it. Install it.",
    });
    expect(cluster.info.state).toBe('stopped');
    expect([...a.asked, ...b.asked].filter((what) => !what.startsWith('stop'))).toEqual([]);
    b.engines = { bundled: '', tensorflow: '' };
    await cluster.start();
    expect(cluster.info.state).toBe('running');
  });

  it('stays as it is when a change asks for an engine that a machine lacks', async () => {
    await cluster.start();
    b.engines = { tensorflow: 'Install it.' };
    const other = saved(task(0, 'a'), task(1, 'b', { engine: 'tensorflow' }));
    await expect(change(other)).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    expect([keptAs, cluster.info.state, b.asked]).toEqual([undefined, 'running', []]);
  });

  it('starts each task on its machine, with addresses that the others can reach', async () => {
    await cluster.start();
    expect([cluster.info.state, states()]).toEqual(['running', 'running running running']);
    expect(cluster.spec.toObject()).toEqual({ ps: ['a.lab:7001'], worker: ['a.lab:7002', 'b.lab:7001'] });
    expect([a.asked, b.asked]).toEqual([
      ['reserve 0,0', 'start c/job:ps/task:0', 'start c/job:worker/task:0'],
      ['reserve 0', 'start c/job:worker/task:1'],
    ]);
  });

  it('stays on loopback when all its tasks are on one machine', async () => {
    cluster = open(saved(task(0, 'a')));
    await cluster.start();
    expect(cluster.spec.address('ps', 0)).toMatch(/^127\.0\.0\.1:/);
  });

  it('has its ports in the range that the user wants when it starts', async () => {
    ports = { from: 6000, to: 6001 };
    await cluster.start();
    expect(cluster.spec.toObject()).toEqual({ ps: ['a.lab:6000'], worker: ['a.lab:6001', 'b.lab:6000'] });
  });

  it('is not started when the range is too small for its tasks', async () => {
    ports = { from: 6000, to: 6000 };
    await expect(cluster.start()).rejects.toMatchObject({ codeName: 'RESOURCE_EXHAUSTED', message: expect.stringContaining('free on a') });
    expect([cluster.info.state, a.tasks.size, b.tasks.size]).toEqual(['stopped', 0, 0]);
  });

  it('chooses other ports when one is taken before its task listens', async () => {
    a.fates.push(portTaken);
    await cluster.start();
    expect(cluster.spec.address('ps', 0)).toBe('a.lab:7003');
    expect(states()).toBe('running running running');
  });

  it('rejects with the reason of a task that does not come up, and keeps the others', async () => {
    b.fates.push({ state: 'lost', code: 5, reason: 'no task program' });
    await expect(cluster.start()).rejects.toMatchObject({ codeName: 'NOT_FOUND', message: expect.stringContaining('no task program') });
    expect([cluster.info.state, states()]).toEqual(['degraded', 'running running lost']);
    await cluster.restartTask('/job:worker/replica:0/task:1');
    expect(cluster.info.state).toBe('running');
  });

  it('is stopped again when no task comes up', async () => {
    for (const machine of [a, a, b]) machine.fates.push({ state: 'lost', code: 14, reason: 'broken' });
    await expect(cluster.start()).rejects.toThrow('broken');
    expect([cluster.info.state, a.tasks.size, b.tasks.size]).toEqual(['stopped', 0, 0]);
  });

  it('comes up though the connection to a machine is lost for a moment while its task starts', async () => {
    b.fates.push({ state: 'waiting' });
    const started = cluster.start();
    await vi.waitFor(() => expect(states()).toBe('running running waiting'));
    b.isOnline = false;
    cluster.update();
    await new Promise((resolve) => setTimeout(resolve, 20));
    b.isOnline = true;
    b.become('c/job:worker/task:1', 'running');
    await started;
    expect(states()).toBe('running running running');
    expect(b.asked.filter((each) => each.startsWith('start'))).toHaveLength(1);
  });

  it('tells an agent once more when the connection was lost in that moment', async () => {
    b.losesNextStart = true;
    await cluster.start();
    expect(states()).toBe('running running running');
    expect(b.asked.filter((each) => each.startsWith('start'))).toHaveLength(2);
  });

  it('does not come up when a machine vanishes meanwhile, and says which', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    b.fates.push({ state: 'waiting' });
    const outcome = expect(cluster.start()).rejects.toMatchObject({
      codeName: 'UNAVAILABLE',
      message: 'b cannot be reached: b was unplugged',
    });
    await vi.waitFor(() => expect(states()).toBe('running running waiting'));
    b.isOnline = false;
    cluster.update();
    await vi.advanceTimersByTimeAsync(10_000);
    await outcome;
    expect(states()).toBe('running running lost');
    vi.useRealTimers();
  });

  it('is cancelled by a stop, and leaves nothing', async () => {
    b.fates.push({ state: 'waiting' });
    const started = cluster.start();
    const outcome = expect(started).rejects.toMatchObject({ codeName: 'CANCELLED' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(states()).toBe('running running waiting');
    await cluster.stop();
    await outcome;
    expect([cluster.info.state, a.tasks.size, b.tasks.size]).toEqual(['stopped', 0, 0]);
  });

  it('shows the tasks of a lost machine as lost, and finds them again', async () => {
    await cluster.start();
    b.isOnline = false;
    cluster.update();
    expect([cluster.info.state, states(), cluster.info.jobs[1]?.tasks[1]?.reason]).toEqual([
      'degraded',
      'running running lost',
      'b was unplugged',
    ]);
    b.isOnline = true;
    cluster.update();
    expect(states()).toBe('running running running');
  });

  it('says which task a stop has not reached, and stops it when its machine is there again', async () => {
    await cluster.start();
    b.isOnline = false;
    await cluster.stop();
    expect(states()).toBe('stopped stopped lost');
    expect(cluster.info.jobs[1]?.tasks[1]?.reason).toContain('may still run: b was unplugged');
    b.isOnline = true;
    cluster.update();
    await new Promise((resolve) => setImmediate(resolve));
    expect([b.tasks.size, states()]).toEqual([0, 'stopped stopped stopped']);
  });

  it('has lost the tasks of an agent that was started anew, and restarts them there', async () => {
    await cluster.start();
    b.replaceAgent();
    expect([states(), cluster.info.jobs[1]?.tasks[1]?.reason]).toEqual([
      'running running lost',
      expect.stringContaining('restart the task'),
    ]);
    await cluster.restartTask('/job:worker/replica:0/task:1');
    expect([states(), b.asked.at(-1)]).toEqual(['running running running', 'start c/job:worker/task:1']);
  });

  it('goes on while the agent of a machine is away whose tasks outlive it, and says so', async () => {
    await cluster.start();
    b.isOnline = false;
    b.tasksGoOn = true;
    cluster.update();
    expect([cluster.info.state, states(), cluster.info.jobs[1]?.tasks[1]]).toMatchObject([
      'running',
      'running running running',
      { reason: 'the task goes on, and nobody watches it: b was unplugged', startedAt: 1, heartbeatAge: -1 },
    ]);
    b.become('c/job:worker/task:1', 'paused');
    expect(cluster.info.jobs[1]?.tasks[1]?.state).toBe('paused');
  });

  it('runs on with an agent that has the tasks of the one before, and can be stopped by others then', async () => {
    const other = open(cluster.saved);
    await cluster.start();
    b.continueAgent();
    expect([states(), cluster.info.jobs[1]?.tasks[1]?.reason]).toEqual(['running running running', '']);
    await other.stop();
    expect(cluster.info.state).toBe('stopped');
  });

  describe('that another core sees', () => {
    let other: ManagedCluster;

    beforeEach(async () => {
      other = open(cluster.saved);
      await cluster.start();
    });

    it('runs there too, at the same addresses', () => {
      expect([other.info.state, other.spec.toObject()]).toEqual(['running', cluster.spec.toObject()]);
      expect(open(cluster.saved).info.state).toBe('running');
    });

    it('can be stopped from there', async () => {
      await other.stop();
      expect([cluster.info.state, states()]).toEqual(['stopped', 'stopped stopped stopped']);
      await cluster.start();
      expect(other.info.state).toBe('running');
    });

    it('keeps its addresses while only a part of it is being started anew elsewhere', async () => {
      const before = cluster.spec.toObject();
      const id = 'c/job:worker/task:1';
      const setup = b.tasks.get(id)?.setup;
      await b.agent.restartTask(id, { ...setup, startId: 'other', spec: '{"worker":{"1":"x:1"}}' });
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect([b.tasks.get(id)?.setup.startId, cluster.spec.toObject()]).toEqual(['other', before]);
    });

    it('has new addresses there after a restart', async () => {
      await cluster.stop();
      await cluster.start();
      expect(other.spec.toObject()).toEqual(cluster.spec.toObject());
    });
  });

  describe('that is changed while it runs', () => {
    beforeEach(() => cluster.start());

    it('starts all tasks anew when one is added, those that stay at their addresses', async () => {
      const before = cluster.spec.toObject();
      await change(saved(task(0, 'a'), task(1, 'b'), task(2, 'b')));
      expect([a.asked, b.asked]).toEqual([
        ['restart c/job:ps/task:0', 'restart c/job:worker/task:0'],
        ['reserve 0', 'restart c/job:worker/task:1', 'start c/job:worker/task:2'],
      ]);
      expect(cluster.spec.toObject()).toEqual({ ...before, worker: ['a.lab:7002', 'b.lab:7001', 'b.lab:7002'] });
      expect([cluster.info.state, keptAs?.jobs[1]?.tasks.length]).toEqual(['running', 3]);
    });

    it('ends a task that is removed', async () => {
      await change(saved(task(0, 'a')));
      expect(b.asked).toEqual(['stop c/job:worker/task:1']);
      expect(cluster.spec.taskCount('worker')).toBe(1);
    });

    it('ends a task where it was when it moves to another machine', async () => {
      await change(saved(task(0, 'b'), task(1, 'b')));
      expect([a.asked.includes('stop c/job:worker/task:0'), b.tasks.size, a.tasks.size]).toEqual([true, 2, 1]);
    });

    it('goes on with a task elsewhere when its machine is gone, and ends it there when that is back', async () => {
      b.isOnline = false;
      await change(saved(task(0, 'a'), task(1, 'a')));
      expect([cluster.info.state, a.tasks.size, b.tasks.size]).toEqual(['running', 3, 1]);
      b.isOnline = true;
      cluster.update();
      await expect.poll(() => [b.asked, b.tasks.size]).toEqual([['stop c/job:worker/task:1'], 0]);
      expect(cluster.info.state).toBe('running');
    });

    it('stays stopped when it is stopped while a change is being prepared', async () => {
      let goOn: () => void = () => undefined;
      b.slowness = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const changing = change(saved(task(0, 'a'), task(1, 'b'), task(2, 'b')));
      await cluster.stop();
      goOn();
      await expect(changing).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION', message: expect.stringContaining('stopped by now') });
      expect([cluster.info.state, keptAs]).toEqual(['stopped', undefined]);
    });

    it('starts only the task anew whose engine or cards change', async () => {
      await change(saved(task(0, 'a', { virtualGpus: 2 }), task(1, 'b')));
      expect([a.asked, b.asked]).toEqual([['restart c/job:worker/task:0'], []]);
    });

    it('starts nothing anew for the switch of restarts', async () => {
      await change(saved(task(0, 'a', { restart: true }), task(1, 'b')));
      expect([a.asked, b.asked]).toEqual([['restart=true c/job:worker/task:0'], []]);
    });

    it('stays as it is when that cannot be', async () => {
      b.isOnline = false;
      await expect(change(saved(task(0, 'a'), task(1, 'b'), task(2, 'b')))).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
      expect([keptAs, cluster.saved.jobs[1]?.tasks.length, states()]).toEqual([undefined, 2, 'running running lost']);
    });
  });

  describe('that is to be open to other machines', () => {
    const lan = { network: '10.0.0.9/24', seconds: 900 };
    afterEach(() => vi.useRealTimers());

    const asked = (what: string) => [a, b].flatMap((machine) => machine.asked.filter((each) => each.startsWith(what)));

    it('is not, while it does not run', async () => {
      await expect(cluster.openTo(lan)).rejects.toMatchObject({ message: "Cluster 'Lab' does not run; start it first" });
    });

    it('tells where, and until when, once its tasks say that they are', async () => {
      await cluster.start();
      expect(cluster.info.openings).toBeUndefined();
      await cluster.openTo(lan);
      const [opening, ...others] = cluster.info.openings ?? [];
      expect([opening?.network, others]).toEqual(['10.0.0.0/24', []]);
      expect((opening?.closesAt ?? 0) - Date.now()).toBeGreaterThan(895_000);
      expect((opening?.closesAt ?? 0) - Date.now()).toBeLessThanOrEqual(900_000);
      expect(opening?.addresses).toEqual({
        '/job:ps/replica:0/task:0': '10.0.0.5:7001',
        '/job:worker/replica:0/task:0': '10.0.0.5:7002',
        '/job:worker/replica:0/task:1': '10.0.0.5:7001',
      });
    });

    it('is closed before its time', async () => {
      await cluster.start();
      await cluster.openTo(lan);
      await cluster.closeOpenings();
      expect(cluster.info.openings).toBeUndefined();
      await cluster.closeOpenings();
      expect(asked('close')).toHaveLength(3);
    });

    it('stays shown while a task is away that comes back open, and is closed there too', async () => {
      await cluster.start();
      await cluster.openTo(lan);
      b.become('c/job:worker/task:1', 'waiting', { startedAt: 0 });
      expect(Object.keys(cluster.info.openings?.[0]?.addresses ?? {})).toHaveLength(3);
      await cluster.closeOpenings();
      expect([cluster.info.openings, asked('close').length]).toEqual([undefined, 3]);
    });

    it('is closed where a task is away that would come back open to another network', async () => {
      await cluster.start();
      await cluster.openTo(lan);
      b.become('c/job:worker/task:1', 'lost', { startedAt: 0 });
      await cluster.openTo({ ...lan, network: '10.7.0.0/16' });
      expect(asked('close')).toEqual(['close c/job:worker/task:1']);
      expect(cluster.info.openings?.map(({ network, addresses }) => [network, Object.keys(addresses).length])).toEqual([
        ['10.7.0.0/16', 2],
      ]);
    });

    it('leaves genuine TensorFlow tasks alone, which are open anyway', async () => {
      await change(saved(task(0, 'a', { engine: 'tensorflow' }), task(1, 'b')));
      await cluster.start();
      await cluster.openTo(lan);
      expect(asked('open')).toEqual(['open c/job:ps/task:0', 'open c/job:worker/task:1']);
    });

    it.each(['lan', '0.0.0.0/0', '2000::/3', '127.0.0.1', '10.0.0.0/33', 'fe80::1%eth0/64'])('refuses %s as a network', async (network) => {
      await cluster.start();
      await expect(cluster.openTo({ network, seconds: 60 })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
      expect(asked('open')).toEqual([]);
    });

    it('says which task does not say that it is open', async () => {
      await cluster.start();
      b.isDeaf = true;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const opened = expect(cluster.openTo(lan)).rejects.toThrow(
        /^\/job:worker\/replica:0\/task:1 does not say that it is open to 10\.0\.0\.0\/24/,
      );
      await vi.advanceTimersByTimeAsync(6000);
      await opened;
    });
  });
});
