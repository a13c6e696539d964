import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { processesWith } from '../../support/processes.ts';
import { CoreClient } from './core-client.ts';

const endless = fileURLToPath(new URL('../../fixtures/programs/endless.js', import.meta.url));

describe('what ends a run', () => {
  let folder: string;
  let core: CoreClient;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    core = new CoreClient(folder);
  });
  afterEach(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  const addressOfTask = async (): Promise<string> => {
    const { lines } = await core.when('runs.logged', (payload) => payload.lines.some(({ text }) => text.includes('listens at')));
    return /listens at grpc:\/\/(\S+)/.exec(lines.map(({ text }) => text).join('\n'))?.[1] ?? '';
  };
  const isGone = async (address: string): Promise<boolean> =>
    (await runCli(['devices', '--target', `grpc://${address}`, '--timeout', '1'])).code === 1;

  it('Stop ends an endless loop within a second or two, and its tasks', async () => {
    const address = addressOfTask();
    const looping = core.when('runs.logged', ({ lines }) => lines.some(({ text }) => text.includes('looping')));
    const { id } = await core.call('runs.start', { program: endless });
    await looping;
    const started = performance.now();
    const run = await core.call('runs.stop', { run: id });
    expect(performance.now() - started).toBeLessThan(2500);
    expect(run).toMatchObject({ state: 'stopped', errorCode: '' });
    expect(await isGone(await address)).toBe(true);
  });

  it('a shell that goes away takes tasks and clients with it, and the run says so later', async () => {
    const address = addressOfTask();
    const { id } = await core.call('runs.start', { program: endless });
    await address;
    expect(await core.leave()).toBe(0);
    expect(await isGone(await address)).toBe(true);
    core = new CoreClient(folder);
    expect(await core.call('runs.get', { run: id })).toMatchObject({ state: 'stopped' });
  });

  it('a killed core leaves no task behind; the run is there, cut off, with what was recorded', async () => {
    const address = addressOfTask();
    const sampled = core.when('runs.samples', ({ series }) => series.some(({ steps }) => steps.includes(2)));
    const { id } = await core.call('runs.start', { program: 'ps-workers' });
    await sampled;
    await delay(1100);
    await core.kill();
    await delay(500);
    expect(await isGone(await address)).toBe(true);
    core = new CoreClient(folder);
    const run = await core.call('runs.get', { run: id });
    expect(run).toMatchObject({ state: 'failed', errorCode: 'ABORTED' });
    expect(run.endedAt).toBeGreaterThan(run.startedAt);
    const [series] = await core.call('runs.series', { run: id, series: [], fromStep: 0, toStep: 100, points: 100 });
    expect([...(series?.steps ?? [])].slice(0, 3)).toEqual([0, 1, 2]);
    expect((await core.call('runs.logs', { run: id, from: 0 })).total).toBe(run.logLines);
  });

  it.each([0, 50, 300])('a shell that goes away %i ms after it started the core ends it', async (milliseconds) => {
    await delay(milliseconds);
    expect(await core.leave()).toBe(0);
  });

  it('a core that is killed takes a program in an endless loop with it', async () => {
    const looping = core.when('runs.logged', ({ lines }) => lines.some(({ text }) => text.includes('looping')));
    await core.call('runs.start', { program: endless });
    await looping;
    const hosts = () => processesWith(`LANFLOW_DATA=${folder}`).filter(({ command }) => command.includes('program-host'));
    expect(hosts()).not.toEqual([]);
    await core.kill();
    await expect.poll(hosts, { timeout: 5000 }).toEqual([]);
    core = new CoreClient(folder);
  });

  it('a program that fails leaves its error in the run', async () => {
    const over = core.when('runs.changed', ({ run }) => run.endedAt > 0);
    await core.call('runs.start', { program: fileURLToPath(new URL('../../fixtures/programs/broken.ts', import.meta.url)) });
    expect((await over).run).toMatchObject({ state: 'failed', errorCode: 'INVALID_ARGUMENT' });
  });

  it.each([
    [{ program: 'no-such-sample' }, 'NOT_FOUND'],
    [{ program: 'relative/path.ts' }, 'INVALID_ARGUMENT'],
    [{ program: 'ps-workers', cluster: 'nowhere' }, 'NOT_FOUND'],
    [{ program: 'ps-workers', cluster: '../..' }, 'INVALID_ARGUMENT'],
  ])('%j is refused with %s, and makes no run', async (request, codeName) => {
    await expect(core.call('runs.start', request)).rejects.toMatchObject({ codeName });
    expect(await core.call('runs.list', null)).toEqual([]);
  });
});
