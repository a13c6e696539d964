import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunInfo } from '#proto/ipc/contract.ts';
import { CoreClient } from './core-client.ts';

const counter = fileURLToPath(new URL('../../fixtures/programs/counter.ts', import.meta.url));
const document = fileURLToPath(new URL('../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url));
const PS = '/job:ps/replica:0/task:0';

describe('a run through a core', () => {
  let folder: string;
  let core: CoreClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    core = new CoreClient(folder);
  });
  afterAll(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  const until = (id: string, holds: (run: RunInfo) => boolean): Promise<RunInfo> =>
    core.when('runs.changed', ({ run }) => run.id === id && holds(run)).then(({ run }) => run);
  const logOf = async (run: string) => (await core.call('runs.logs', { run, from: 0 })).lines.map(({ text }) => text);

  it('is paused, stepped, traced, initialized again, resumed and stopped', { timeout: 60_000 }, async () => {
    const { id } = await core.call('runs.start', { program: counter, plan: { interval: 10, watch: ['count'] } });
    await until(id, ({ steps }) => steps > 10);
    expect(await core.call('runs.pause', { run: id })).toMatchObject({ state: 'paused' });
    await delay(500);
    const { steps } = await core.call('runs.get', { run: id });
    await core.call('runs.traceNext', { run: id });
    const stepped = until(id, (run) => run.steps === steps + 1);
    await core.call('runs.step', { run: id });
    await stepped;
    await core.call('runs.reinitialize', { run: id });
    await expect.poll(async () => (await core.call('runs.traces', { run: id })).map(({ name }) => name)).toEqual([`step ${steps + 1}`]);
    const going = until(id, (run) => run.state === 'running' && run.steps > steps + 5);
    expect(await core.call('runs.resume', { run: id })).toMatchObject({ state: 'running' });
    await going;
    await expect(core.call('runs.step', { run: id })).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await core.call('runs.pause', { run: id });
    const started = performance.now();
    expect(await core.call('runs.stop', { run: id })).toMatchObject({ state: 'stopped' });
    expect(performance.now() - started).toBeLessThan(3000);
    expect(await logOf(id)).toEqual(expect.arrayContaining(['Resumed', 'Initialized again: 2 variables']));
    for (const name of ['runs.pause', 'runs.resume', 'runs.step', 'runs.traceNext', 'runs.reinitialize'] as const)
      await expect(core.call(name, { run: id })).rejects.toMatchObject({
        codeName: 'FAILED_PRECONDITION',
        message: expect.stringContaining('is over'),
      });
  });

  it('has its pins applied, and holds the graph that was sent', { timeout: 60_000 }, async () => {
    await core.call('programs.setPins', { program: counter, pins: { count: '/job:worker/task:0' } });
    const { id } = await core.call('runs.start', { program: counter });
    await until(id, ({ steps }) => steps > 10);
    await core.call('runs.stop', { run: id });
    const view = await core.call('graphs.view', { of: { run: id } });
    expect(view.clients).toEqual(['client']);
    expect(view.devices[view.names.indexOf('count')]).toBe('/job:worker/task:0');
    expect(view.devices[view.names.indexOf('weights')]).toBe('/job:ps/task:0');
  });

  it('records that a task of its cluster was started again, and keeps it when the cluster is gone', { timeout: 60_000 }, async () => {
    const [machine] = await core.call('machines.list', null);
    const task = { index: 0, machine: machine?.id ?? '', engine: 'bundled', port: 0, virtualGpus: 0 } as const;
    const draft = { title: 'Lab', jobs: ['ps', 'worker'].map((name) => ({ name, tasks: [task] })) };
    const { id: cluster } = await core.call('clusters.save', draft);
    await core.call('clusters.start', { cluster });
    const { id } = await core.call('runs.start', { program: counter, cluster });
    await until(id, ({ steps }) => steps > 10);
    await core.call('runs.pause', { run: id });
    // The step that is under way ends.
    await delay(500);
    const before = Date.now();
    const restarted = until(id, ({ restarts }) => restarts.length > 0);
    await core.call('clusters.disturbTask', { cluster, task: PS, how: 'kill' });
    await core.call('clusters.restartTask', { cluster, task: PS });
    const { restarts } = await restarted;
    expect(restarts).toEqual([{ task: PS, at: expect.any(Number) }]);
    expect(restarts[0]?.at).toBeGreaterThanOrEqual(before);
    await core.call('runs.stop', { run: id });
    await core.call('clusters.stop', { cluster });
    await core.call('clusters.remove', { cluster });
    expect((await core.call('runs.get', { run: id })).restarts).toEqual(restarts);
  });

  it('runs a document, which says itself how', { timeout: 60_000 }, async () => {
    const { id } = await core.call('runs.start', { program: document, plan: { steps: 50 } });
    const run = await until(id, ({ endedAt }) => endedAt > 0);
    expect(run).toMatchObject({ state: 'finished', steps: 50, outcomes: { client: { steps: 50 } } });
    expect(run.series.map(({ name }) => name)).toEqual(expect.arrayContaining(['weight', 'bias']));
  });

  it('says in its log where it failed', { timeout: 60_000 }, async () => {
    await core.call('programs.setPins', { program: counter, pins: { scaled: '/job:ps/task:7' } });
    const { id } = await core.call('runs.start', { program: counter });
    const run = await until(id, ({ endedAt }) => endedAt > 0);
    expect(run).toMatchObject({ state: 'failed', errorCode: 'INVALID_ARGUMENT' });
    expect(run.status).not.toContain('\n');
    expect(await logOf(id)).toContain('It arose in node scaled (Mul) on /job:ps/task:7');
  });
});
