import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClusterSpec, Graph, type WaitReport } from '../../../../main/client/index.ts';
import { readFeeds } from '../../../../main/client/session/feeds.ts';
import { planFetches } from '../../../../main/client/session/fetches.ts';
import { SharedCall } from '../../../../main/client/session/shared-call.ts';
import { explainWait } from '../../../../main/client/session/wait-watch.ts';

describe('ClusterSpec', () => {
  const text = '{"cluster":{"ps":["a:1"],"worker":{"1":"b:2","3":"c:3"}},"task":{"type":"worker","index":3}}';

  it('goes through TF_CONFIG and ClusterDef unchanged', () => {
    const { cluster, task } = ClusterSpec.fromTfConfig(text);
    expect(task).toEqual({ type: 'worker', index: 3 });
    expect(cluster.toTfConfig(task)).toBe(text);
    expect(ClusterSpec.fromDef(cluster.toDef()).toObject()).toEqual(cluster.toObject());
  });

  it('names its tasks', () => {
    const cluster = new ClusterSpec({ worker: ['b:2', 'c:3'], ps: { 10: 'a:1' } });
    expect(cluster.tasks.map(({ name, address }) => `${name} ${address}`)).toEqual([
      '/job:ps/replica:0/task:10 a:1',
      '/job:worker/replica:0/task:0 b:2',
      '/job:worker/replica:0/task:1 c:3',
    ]);
    expect(cluster.target('worker', 1)).toBe('grpc://c:3');
    expect(() => cluster.target('worker', 2)).toThrow("No task 2 of job 'worker' in the cluster: job 'worker' has tasks 0,1");
  });

  it.each([
    [{ ps: ['nohost'] }, 'Could not interpret "nohost" as a host-port pair'],
    [{ ps: ['grpc://a:1'] }, 'Could not interpret "grpc://a:1" as a host-port pair'],
    [{ ps: ['a:99999'] }, 'Could not interpret "a:99999"'],
    [{ '1ps': ['a:1'] }, "'1ps' cannot be the name of a job"],
    [{ ps: { x: 'a:1' } }, "'x' is no task index"],
  ])('refuses %j', (jobs, message) => {
    expect(() => new ClusterSpec(jobs as ConstructorParameters<typeof ClusterSpec>[0])).toThrow(message);
  });
});

describe('feeds and fetches', () => {
  it('ask for each tensor once and give the structure back', () => {
    const g = new Graph();
    const [a, b] = [g.constant(1), g.constant(2)];
    const node = g.noOp();
    const plan = planFetches(g, { list: [a, b, a], node, byName: 'Const_1:0' });
    expect(plan.tensors).toEqual([a, b]);
    expect(plan.targets).toEqual([node]);
    const [one, two] = [1, 2].map((value) => ({ dtype: 'float', shape: [], data: Float32Array.of(value) }) as const);
    expect(
      plan.assemble(
        new Map(
          [
            [a, one],
            [b, two],
          ].map(([key, value]) => [key, value] as never),
        ),
      ),
    ).toEqual({
      list: [one, two, one],
      node: undefined,
      byName: two,
    });
  });

  it('are checked against the graph', () => {
    const g = new Graph();
    const x = g.placeholder('float', [-1, 2], { name: 'x' });
    expect(readFeeds(g, new Map([[x, [[1, 2]]]])).get(x)).toMatchObject({ shape: [1, 2] });
    expect(() => readFeeds(g, new Map([[x, [1, 2]]]))).toThrow("Cannot feed value of shape [2] for tensor 'x:0', which has shape [?,2]");
    expect(() => readFeeds(g, new Map([[x, 'text']]))).toThrow("Cannot feed tensor 'x:0': 'text' is no value of type float");
    const twice = new Map<typeof x | string, number[][]>([
      [x, [[1, 2]]],
      ['x:0', [[1, 2]]],
    ]);
    expect(() => readFeeds(g, twice)).toThrow('Endpoint "x:0" fed more than once.');
    expect(() => planFetches(new Graph(), x)).toThrow("'x:0' is not part of this session's graph");
    expect(() => planFetches(g, 'nope:0')).toThrow("The graph has no tensor 'nope:0'");
  });
});

describe('a wait', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const { tasks } = new ClusterSpec({ ps: ['a:1'], worker: ['b:1', 'b:2'] });

  const start = (down: Readonly<Record<string, string>>) => {
    const reports: WaitReport[] = [];
    const { promise, resolve } = withResolvers();
    const watched = explainWait('CreateSession', promise, {
      address: 'a:1',
      tasks,
      onWait: (report) => reports.push(report),
      probe: async (address) => down[address],
    });
    return { reports, resolve, watched };
  };

  it('for a master that is not there is explained within 5 s and then every 5 s', async () => {
    const { reports, resolve, watched } = start({ 'a:1': 'connection refused' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(reports).toEqual([
      { task: '/job:ps/replica:0/task:0', address: 'a:1', reason: 'connection refused', sinceMs: expect.any(Number) },
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reports).toHaveLength(3);
    resolve();
    await watched;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toHaveLength(3);
  });

  it('for other tasks names all that are missing', async () => {
    const { reports } = start({ 'b:1': 'name not found', 'b:2': 'timed out' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(reports.map(({ task, reason }) => `${task} ${reason}`)).toEqual([
      '/job:worker/replica:0/task:0 name not found',
      '/job:worker/replica:0/task:1 timed out',
    ]);
  });

  it('for a step that takes long says so', async () => {
    const { reports } = start({});
    await vi.advanceTimersByTimeAsync(5000);
    expect(reports[0]?.reason).toBe('CreateSession is running: all 3 tasks of the cluster answer');
  });

  it('that is short is no news', async () => {
    const { reports, resolve, watched } = start({ 'a:1': 'connection refused' });
    await vi.advanceTimersByTimeAsync(1000);
    resolve();
    await watched;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toEqual([]);
  });
});

it('a shared call goes on until its last caller has left', async () => {
  let cancelled = false;
  const call = new SharedCall<never>((signal) => {
    signal.addEventListener('abort', () => {
      cancelled = true;
    });
    return new Promise(() => undefined);
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const waits = [call.wait(first.signal), call.wait(second.signal)];
  first.abort();
  await expect(waits[0]).rejects.toMatchObject({ codeName: 'CANCELLED' });
  expect(cancelled).toBe(false);
  second.abort();
  await expect(waits[1]).rejects.toMatchObject({ codeName: 'CANCELLED' });
  expect(cancelled).toBe(true);
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
