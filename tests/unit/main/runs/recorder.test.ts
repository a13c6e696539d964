import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { LogLine, RunInfo, SeriesColumns } from '#proto/ipc/contract.ts';
import { resourceExhausted } from '#proto/wire/status.ts';
import { RunLibrary, type RunLibraryEnv } from '../../../../main/runs/run-library.ts';

const demo = { title: 'Demo', program: 'ps-workers', programTitle: 'One', tasks: [], cluster: {} };
const everything = { series: [], fromStep: 0, toStep: 1e9, points: 100 };

describe('the runs', () => {
  let folder: string;
  let isDiskFull: boolean;
  let infos: RunInfo[];
  let samples: SeriesColumns[];
  let lines: LogLine[];
  let log: string[];
  let alive: number[];
  let libraries: RunLibrary[] = [];

  const open = async () => {
    const library = await RunLibrary.open(env);
    libraries.push(library);
    return library;
  };
  const env: RunLibraryEnv = {
    get folder() {
      return folder;
    },
    versions: { Lanflow: '1' },
    writeFile: async (path, content) => {
      if (isDiskFull) throw resourceExhausted('the disk is full');
      await writeFile(path, content);
    },
    isProcessAlive: (pid) => alive.includes(pid),
    log: (line) => log.push(line),
    listener: {
      onInfo: (info) => infos.push(info),
      onSamples: (_, series) => samples.push(...series),
      onLines: (_, more) => lines.push(...more),
      onRemoved: () => {},
    },
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-runs-'));
    [isDiskFull, infos, samples, lines, log, alive] = [false, [], [], [], [], []];
  });
  afterEach(async () => {
    for (const library of libraries) library.close();
    libraries = [];
    await rm(folder, { recursive: true });
  });

  it('tells in batches and keeps everything', async () => {
    const library = await open();
    const recorder = await library.start(demo);
    for (let step = 0; step < 1000; step++) recorder.addSample('client', 'x', step, step);
    recorder.addLine('client', 'client', 'hello');
    recorder.tell();
    expect(samples).toHaveLength(1);
    expect(samples[0]?.values.length).toBe(1000);
    expect(lines).toMatchObject([{ number: 0, text: 'hello' }]);
    await recorder.finish({ state: 'finished', outcomes: { client: { value: Number.NaN } } });
    library.settle(recorder);
    expect(infos.at(-1)).toMatchObject({
      state: 'finished',
      clients: ['client'],
      logLines: 1,
      series: [{ name: 'x', points: 1000, last: 999 }],
    });
    const again = await open();
    expect(again.list()).toMatchObject([{ id: recorder.record.id, state: 'finished' }]);
    const { series } = await again.data(recorder.record.id);
    expect(series.all()).toEqual(recorder.series.all());
  });

  it('tells what was recorded before it answers, and not again', async () => {
    const library = await open();
    const recorder = await library.start(demo);
    recorder.addSample('client', 'x', 0, 1);
    const { series } = await library.data(recorder.record.id);
    expect(samples).toHaveLength(1);
    expect(series.query(everything)[0]?.values).toEqual(new Float64Array([1]));
    recorder.tell();
    expect(samples).toHaveLength(1);
    await recorder.finish({ state: 'stopped' });
  });

  it('goes on when the disk is full, says so once, and writes all when there is room', async () => {
    const library = await open();
    const recorder = await library.start(demo);
    isDiskFull = true;
    recorder.addSample('client', 'x', 0, 1);
    for (let i = 0; i < 3; i++) {
      recorder.change({ status: `still ${i}` });
      await recorder.flush();
    }
    await recorder.addTrace('client', 't', new Uint8Array());
    isDiskFull = false;
    await recorder.flush();
    await recorder.finish({ state: 'finished' });
    const said = lines.filter(({ source }) => source === 'lanflow').map(({ text }) => text);
    expect(said).toEqual([expect.stringContaining('the disk is full'), expect.stringContaining('written to disk again')]);
    expect(lines.some(({ kind, text }) => kind === 'error' && text.includes("trace 't' cannot be kept"))).toBe(true);
    expect((await open()).list()).toMatchObject([{ state: 'finished', series: [{ points: 1 }], traces: 0 }]);
  });

  it('keeps the graphs that clients have sent, and counts the steps of all', async () => {
    const library = await open();
    const recorder = await library.start(demo);
    const { id } = recorder.record;
    const graphOf = (name: string) => create(GraphDefSchema, { node: [{ name, op: 'NoOp' }] });
    const worker = '/job:worker/replica:0/task:0';
    recorder.addGraph(worker, toBinary(GraphDefSchema, graphOf('first')));
    recorder.addGraph('client #2 变', toBinary(GraphDefSchema, graphOf('other')));
    expect(await library.graphClients(id)).toEqual([worker, 'client #2 变']);
    expect((await library.graph(id, worker)).node[0]?.name).toBe('first');
    await mkdir(join(folder, id, 'graphs'));
    await recorder.flush();
    recorder.addGraph(worker, toBinary(GraphDefSchema, graphOf('grown')));
    expect((await library.graph(id, worker)).node[0]?.name).toBe('grown');
    for (const [client, count] of [
      [worker, 3],
      ['client', 4],
      [worker, 5],
    ] as const)
      recorder.setSteps(client, count);
    await recorder.finish({ state: 'finished' });
    library.settle(recorder);
    expect(library.get(id).steps).toBe(9);
    const again = await open();
    expect(again.get(id).steps).toBe(9);
    expect(await again.graphClients(id)).toEqual([worker, 'client #2 变']);
    expect(await again.graph(id, worker)).toEqual(graphOf('grown'));
    await expect(again.graph(id, 'client')).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    const { name, content } = await again.export({ run: id, format: 'bundle' });
    const twin = await again.import(name, content);
    expect(await again.graph(twin.id, 'client #2 变')).toEqual(graphOf('other'));
  });

  it('keeps which tasks were started again, and when, also in a bundle', async () => {
    const ps = '/job:ps/replica:0/task:0';
    const library = await open();
    const recorder = await library.start(demo);
    const before = Date.now();
    recorder.addRestart(ps);
    recorder.addRestart(ps);
    const { restarts } = recorder.info;
    expect(infos.at(-1)?.restarts).toEqual(restarts);
    expect(restarts.map(({ task }) => task)).toEqual([ps, ps]);
    for (const { at } of restarts) expect(at).toBeGreaterThanOrEqual(before);
    await recorder.finish({ state: 'finished' });
    library.settle(recorder);
    const again = await open();
    expect(again.get(recorder.record.id).restarts).toEqual(restarts);
    const { name, content } = await again.export({ run: recorder.record.id, format: 'bundle' });
    expect((await again.import(name, content)).restarts).toEqual(restarts);
  });

  it('reads the records of the first releases, which count no steps and tell of no restarts', async () => {
    const recorder = await (await open()).start(demo);
    await recorder.finish({ state: 'finished' });
    const path = join(folder, recorder.record.id, 'run.json');
    const { steps: _, restarts: _r, ...old } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify(old));
    expect((await open()).list()).toMatchObject([{ steps: 0, restarts: [] }]);
  });

  it('leaves out samples without a step, and says so', async () => {
    const recorder = await (await open()).start(demo);
    recorder.addSample('client', 'x', Number.NaN, 1);
    await recorder.finish({ state: 'finished' });
    expect(recorder.info.series).toEqual([]);
    expect(lines[0]?.text).toContain("A sample of 'x' was left out");
  });

  it.each([
    ['by this process in an earlier life', process.pid, 'failed'],
    ['by a process that has ended', 999_999, 'failed'],
    ['by another process that goes on', 4242, 'running'],
  ])('shows a run that is recorded %s', async (_, pid, state) => {
    alive = [4242];
    const recorder = await (await open()).start(demo);
    recorder.change({ state: 'running' });
    recorder.addSample('client', 'x', 3, 5);
    await recorder.flush();
    const path = join(folder, recorder.record.id, 'run.json');
    const record = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...record, owner: { pid, host: hostname() } }));
    const [run] = (await open()).list();
    expect(run?.state).toBe(state);
    if (state === 'failed') expect(run).toMatchObject({ errorCode: 'ABORTED', series: [{ name: 'x', points: 1, last: 5 }] });
    await recorder.finish({ state: 'stopped' });
  });

  it('leaves a folder alone that is no run', async () => {
    await (await open()).start(demo).then((recorder) => recorder.finish({ state: 'finished' }));
    const [id = ''] = (await open()).list().map((run) => run.id);
    await writeFile(join(folder, id, 'run.json'), '{"version": 1');
    expect((await open()).list()).toEqual([]);
    expect(log).toEqual([expect.stringContaining('left out of the history')]);
  });

  it('does not delete a run that goes on', async () => {
    const library = await open();
    const recorder = await library.start(demo);
    await expect(library.delete(recorder.record.id)).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await recorder.finish({ state: 'stopped' });
    library.settle(recorder);
    await library.delete(recorder.record.id);
    expect(library.list()).toEqual([]);
  });
});
