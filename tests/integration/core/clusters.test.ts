import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterDraft, ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { python, requirePython, withTensorFlow } from '../../support/python.ts';
import { CoreClient } from './core-client.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));
const WORKER = '/job:worker/replica:0/task:0';

describe('a cluster of this machine', () => {
  let folder: string;
  let core: CoreClient;
  let machine: string;
  let cluster: ClusterInfo;

  const draft = (): ClusterDraft => ({
    title: 'Lab',
    jobs: Object.entries({ ps: 1, worker: 2 }).map(([name, count]) => ({
      name,
      tasks: Array.from({ length: count }, (_, index) => ({ index, machine, engine: 'bundled', port: 0, virtualGpus: 0 })),
    })),
  });
  const worker = ({ clusters }: { readonly clusters: readonly ClusterInfo[] }): TaskInfo | undefined =>
    clusters.find(({ id }) => id === cluster.id)?.jobs.find(({ name }) => name === 'worker')?.tasks[0];
  const whenWorker = async (holds: (task: TaskInfo) => boolean): Promise<TaskInfo> => {
    const clusters = await core.when('clusters.changed', (payload) => holds(worker(payload) as TaskInfo));
    return worker(clusters) as TaskInfo;
  };
  const disturb = (how: 'kill' | 'pause' | 'resume') => core.call('clusters.disturbTask', { cluster: cluster.id, task: WORKER, how });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    core = new CoreClient(folder);
    machine = (await core.call('machines.list', null))[0]?.id ?? '';
    cluster = await core.call('clusters.save', draft());
    cluster = await core.call('clusters.start', { cluster: cluster.id });
  });
  afterAll(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  it('runs with addresses, and tells incarnation, memory and heartbeat of its tasks', async () => {
    expect(cluster.state).toBe('running');
    const task = await whenWorker(({ incarnation, memory }) => incarnation !== '' && memory > 0);
    expect(task).toMatchObject({ name: WORKER, state: 'running', reason: '' });
    expect(task.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(task.incarnation).toMatch(/^[0-9a-f]{16}$/);
    expect(task.heartbeatAge).toBeLessThan(2500);
  });

  it('cannot be removed or started while it runs', async () => {
    for (const name of ['clusters.remove', 'clusters.start'] as const) {
      await expect(core.call(name, { cluster: cluster.id })).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    }
  });

  it('notices a killed task at once, and restarts it in place with a new incarnation', async () => {
    const before = await whenWorker(({ incarnation }) => incarnation !== '');
    const lost = whenWorker(({ state }) => state === 'lost');
    const started = performance.now();
    await disturb('kill');
    expect((await lost).reason).toMatch(/ended \(SIGKILL\): restart/);
    expect(performance.now() - started).toBeLessThan(1500);
    expect((await core.call('clusters.list', null))[0]?.state).toBe('degraded');
    await core.call('clusters.restartTask', { cluster: cluster.id, task: WORKER });
    const after = await whenWorker(({ incarnation }) => incarnation !== '');
    expect(after).toMatchObject({ state: 'running', address: before.address });
    expect(after.incarnation).not.toBe(before.incarnation);
  });

  it('shows a paused task, and one that stands still by itself within 3 s', async () => {
    await disturb('pause');
    expect((await core.call('clusters.list', null))[0]?.jobs[1]?.tasks[0]?.state).toBe('paused');
    await disturb('resume');
    const { pid } = await processOf(cluster, WORKER);
    process.kill(pid, 'SIGSTOP');
    const started = performance.now();
    const silent = await whenWorker(({ state }) => state === 'lost');
    expect(silent.reason).toContain('does not answer');
    expect(performance.now() - started).toBeLessThan(3500);
    process.kill(pid, 'SIGCONT');
    await whenWorker(({ state }) => state === 'running');
  });

  it.each([
    ['parameter-averaging', { state: 'finished', problems: [] }],
    [fixture('double.ts'), { state: 'failed', errorCode: 'INVALID_ARGUMENT', status: expect.stringContaining('has no job calculator') }],
  ])('runs %s, and lives on', async (program, outcome) => {
    const over = core.when('runs.changed', ({ run }) => run.endedAt > 0);
    await core.call('runs.start', { program, cluster: cluster.id });
    const { run } = await over;
    expect(run).toMatchObject({ ...outcome, tasks: ['/job:ps/replica:0/task:0', WORKER, '/job:worker/replica:0/task:1'] });
    expect(run.clusterId).toBe(cluster.id);
    await core.call('clusters.clearVariables', { cluster: cluster.id });
    expect((await core.call('clusters.list', null))[0]?.state).toBe('running');
  });

  it('comes back from each of its texts', async () => {
    const forms = await core.call('clusters.export', { cluster: cluster.id });
    const expected = cluster.jobs.map(({ name, tasks }) => ({
      name,
      tasks: tasks.map(({ index, address }) => ({
        index,
        machine,
        engine: 'bundled',
        port: Number(address.split(':')[1]),
        virtualGpus: 0,
      })),
    }));
    for (const text of [forms.python, forms.json, forms.hostfile, forms.client, forms.tfConfig[WORKER] ?? '']) {
      expect((await core.call('clusters.parse', { text })).jobs).toEqual(expected);
    }
    await expect(core.call('clusters.parse', { text: '{"ps": [}' })).rejects.toThrow(/Line 1: '}' is no text/);
  });

  it('opens a gateway, which leads to tasks that need none as they are', async () => {
    const { gateway } = await core.call('clusters.setGateway', { cluster: cluster.id, open: true });
    expect(gateway?.[WORKER]).toBe((await whenWorker(({ address }) => address !== '')).address);
    const closed = core.when('clusters.changed', ({ clusters }) => clusters.every((each) => each.gateway === undefined));
    expect(await core.call('clusters.setGateway', { cluster: cluster.id, open: false })).not.toHaveProperty('gateway');
    await closed;
  });

  it.skipIf(python === undefined)(withTensorFlow('serves the Python client that it exports'), async () => {
    const { client } = await core.call('clusters.export', { cluster: cluster.id });
    const path = join(folder, 'client.py');
    await writeFile(path, client);
    const { stdout } = await promisify(execFile)(requirePython(), [path]);
    expect(stdout).toContain(`${WORKER}/device:CPU:0`);
    expect(stdout).toContain('step 9 var 10.0');
  });

  it('stops, with ports free again, and can be changed and removed then', async () => {
    expect((await core.call('clusters.stop', { cluster: cluster.id })).state).toBe('stopped');
    const changed = await core.call('clusters.save', { ...draft(), id: cluster.id, title: 'Other' });
    expect(changed).toMatchObject({ id: cluster.id, title: 'Other', state: 'stopped' });
    await core.call('clusters.remove', { cluster: cluster.id });
    expect(await core.call('clusters.list', null)).toEqual([]);
  });
});

/** The process that listens at a task's address, found as a user would: by its command line. */
async function processOf({ jobs }: ClusterInfo, name: string): Promise<{ pid: number }> {
  const task = jobs.flatMap(({ tasks }) => tasks).find((each) => each.name === name);
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
  const line = stdout.split('\n').find((each) => each.includes(task?.address ?? '?') && each.includes('--job worker --task 0'));
  return { pid: Number(line?.trim().split(' ')[0]) };
}
