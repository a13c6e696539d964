import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportFormat, RunInfo, SeriesColumns } from '#proto/ipc/contract.ts';
import { CoreClient } from './core-client.ts';

const PS = '/job:ps/replica:0/task:0';
const everything = { series: [], fromStep: 0, toStep: Number.MAX_SAFE_INTEGER, points: 1000 };
const isOver = ({ run }: { run: RunInfo }): boolean => run.endedAt > 0;

describe('the demo through a core', () => {
  let folder: string;
  let core: CoreClient;
  let run: RunInfo;
  const heard: SeriesColumns[] = [];

  const exported = async (format: ExportFormat) => {
    const { name, content } = await core.call('runs.export', { run: run.id, format });
    return { name, content, text: Buffer.from(content).toString() };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    core = new CoreClient(folder);
    core.on('runs.samples', ({ series }) => heard.push(...series));
    const over = core.when('runs.changed', isOver);
    const started = await core.call('runs.start', { program: 'ps-workers' });
    expect(started.state).toBe('starting');
    run = (await over).run;
  });
  afterAll(async () => {
    await core.leave();
    await rm(folder, { recursive: true });
  });

  it('finishes right, with tasks, clients, series, log and trace', async () => {
    expect(run).toMatchObject({ state: 'finished', problems: [], traces: 1, outcomes: { [PS]: { finalValue: 10 } } });
    expect(run.tasks).toEqual([PS, '/job:worker/replica:0/task:0', '/job:worker/replica:0/task:1']);
    expect([...run.clients].sort()).toEqual([...run.tasks]);
    expect(run.steps).toBeGreaterThan(20);
    expect(run.series).toEqual([{ client: PS, name: 'var', points: 6, last: 10 }]);
    const { lines, total } = await core.call('runs.logs', { run: run.id, from: 0 });
    expect(total).toBe(run.logLines);
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i));
    expect(lines.some(({ kind, source, text }) => kind === 'progress' && source === PS && text.includes('listens at grpc://'))).toBe(true);
    expect(lines.some(({ kind, text }) => kind === 'client' && text === 'Worker 0: finished')).toBe(true);
  });

  it('tells the same samples live and on request', async () => {
    const [series] = await core.call('runs.series', { run: run.id, ...everything });
    expect([...(series?.steps ?? [])]).toEqual([0, 1, 2, 3, 4, 5]);
    expect(heard.flatMap(({ values }) => [...values])).toEqual([...(series?.values ?? [])]);
  });

  it('shows the trace in columns', async () => {
    const [info] = await core.call('runs.traces', { run: run.id });
    const view = await core.call('runs.trace', { run: run.id, trace: info?.id ?? '' });
    expect(view.name).toBe('increment');
    const lane = view.lanes.find(({ device }) => device === `${PS}/device:CPU:0`);
    expect(lane?.names.length).toBeGreaterThan(0);
    expect(lane?.start.length).toBe(lane?.names.length);
  });

  it('exports every format', async () => {
    expect((await exported('series.csv')).text).toMatch(/^step,var\r\n0,0\r\n/);
    expect(JSON.parse((await exported('series.json')).text).series[0].values.at(-1)).toBe(10);
    expect(JSON.parse((await exported('trace.json')).text).traceEvents.length).toBeGreaterThan(3);
    expect((await exported('trace.pb')).content.length).toBeGreaterThan(50);
    expect((await exported('nodes.csv')).text).toMatch(/^device,node,op,/);
    expect((await exported('tensorboard')).name).toContain('tfevents');
    const names = Object.keys(unzipSync((await exported('bundle')).content));
    const graphs = run.tasks.map((task) => `graphs/${task.replaceAll('/', '_2f').replaceAll(':', '_3a')}.pb`);
    expect(names).toEqual(
      [...graphs, 'logs/run.ndjson', 'run.json', 'series.arrow', 'traces/trace-1.pb'].map((name) => `${run.id}/${name}`),
    );
  });

  it('imports its own bundle as another run, with equal content', async () => {
    const { name, content } = await exported('bundle');
    const twin = await core.call('runs.import', { name, content });
    expect(twin).toEqual({ ...run, id: twin.id });
    expect(twin.id).not.toBe(run.id);
    const series = await core.call('runs.series', { run: twin.id, ...everything });
    expect(series).toEqual(await core.call('runs.series', { run: run.id, ...everything }));
    await core.call('runs.delete', { run: twin.id });
    await expect(core.call('runs.get', { run: twin.id })).rejects.toThrow(/no run/);
  });

  it('still has the run after a restart, with its new title', async () => {
    const renamed = await core.call('runs.rename', { run: run.id, title: 'Mine', note: 'first' });
    const series = await core.call('runs.series', { run: run.id, ...everything });
    expect(await core.leave()).toBe(0);
    core = new CoreClient(folder);
    expect(await core.call('runs.list', null)).toEqual([renamed]);
    expect(await core.call('runs.series', { run: run.id, ...everything })).toEqual(series);
    expect((await core.call('runs.logs', { run: run.id, from: 2 })).lines[0]?.number).toBe(2);
  });
});
