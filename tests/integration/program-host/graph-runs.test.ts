import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunPlan } from '#proto/ipc/contract.ts';
import { encodeGraphDef, formatGraphDef, Graph } from '../../../main/client/index.ts';
import type { RunProgramOptions } from '../../../main/program-host/run-program.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { StartedRun } from './started-run.ts';

/** `total` grows by `x` in each step of `add`; `init` resets it. */
function growing(device = ''): Graph {
  const g = new Graph();
  g.device(device, () => {
    const total = g.variable('total', 10);
    const x = g.placeholderWithDefault(g.constant(1), [], { name: 'x' });
    total.assignAdd(x, { name: 'add' });
    g.mul(total.value(), [1, 2], { name: 'pair' });
    g.constant('hello', { name: 'text' });
    g.globalVariablesInitializer();
  });
  return g;
}

describe('a graph as a program', () => {
  let folder: string;
  let cluster: Cluster;
  let run: StartedRun;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-graphs-'));
    cluster = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'bundled' });
    await writeFile(join(folder, 'anywhere.pb'), encodeGraphDef(growing().toDef()));
    await writeFile(join(folder, 'on-ps.pbtxt'), formatGraphDef(growing('/job:ps/task:0').toDef()));
  });
  afterEach(() => run.stop());
  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  const start = (file: string, plan: RunPlan, options: Partial<RunProgramOptions> = {}): StartedRun => {
    run = new StartedRun({ source: { graph: join(folder, file) }, plan, ...options });
    return run;
  };
  const outcome = async () => (await run.result).outcomes.get('client');

  it('runs on a private task, with what has no value initialized, and gives what was fetched last', async () => {
    start('anywhere.pb', { fetches: ['add:0', 'pair', 'text'], steps: 3 });
    expect(await outcome()).toEqual({ steps: 3, 'add:0': 13, pair: expect.any(Array), text: '"hello"' });
    expect(run.values('add:0')).toEqual([11, 12, 13]);
    expect(run.samples('add:0').map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(run.samples('pair (max)')).toHaveLength(3);
    const notices = run.all('notice').map(({ text }) => text);
    expect(notices).toContainEqual(expect.stringMatching(/Initialized.*total/));
    expect(notices).toContainEqual(expect.stringMatching(/'text' cannot be plotted: its type is string/));
    expect(notices).toHaveLength(2);
  });

  it('forms the cluster that its devices name', async () => {
    start('on-ps.pbtxt', { fetches: ['add'], targets: ['pair'], feeds: { x: '5' } });
    const { program, outcomes } = await run.result;
    expect(program).toMatchObject({ title: 'on-ps.pbtxt', cluster: { ps: 1 }, clients: 'one' });
    expect(outcomes.get('client')).toEqual({ steps: 1, add: 15 });
  });

  it('takes worker 0 for its master, and keeps the values that variables have', async () => {
    const once = { fetches: ['add'], steps: 2, traceEvery: 2 };
    start('on-ps.pbtxt', once, { cluster: cluster.addresses });
    const first = Number((await outcome())?.['add']);
    start('on-ps.pbtxt', once, { cluster: cluster.addresses });
    expect(await outcome()).toMatchObject({ add: first + 2 });
    expect(run.all('notice')).toEqual([]);
    expect(run.all('trace').map(({ name }) => name)).toEqual(['step 2']);
    start('on-ps.pbtxt', { ...once, initialize: ['init'] }, { cluster: cluster.addresses });
    expect(await outcome()).toMatchObject({ add: 12 });
  });

  it('goes on until it is stopped, with its variables plotted', async () => {
    start('anywhere.pb', { targets: ['add'], watch: ['total'], steps: 0 });
    await run.until(() => run.steps > 100 && run.samples('total').length > 2);
    expect(await run.stop()).toBeLessThan(1500);
  });

  it('feeds what JSON cannot say', async () => {
    start('anywhere.pb', { fetches: ['add'], feeds: { 'x:0': '"NaN"' } });
    expect(await outcome()).toEqual({ steps: 1, add: Number.NaN });
  });

  it.each<[RunPlan, string, RegExp]>([
    [{}, 'INVALID_ARGUMENT', /no tensor to fetch and no node to run; .*anywhere\.pb has \d+ nodes/],
    [{ fetches: ['nope:0'] }, 'NOT_FOUND', /no tensor 'nope:0'/],
    [{ targets: ['nope'] }, 'NOT_FOUND', /no node 'nope'/],
    [{ targets: ['add'], initialize: ['nope'] }, 'NOT_FOUND', /no node 'nope'/],
    [{ targets: ['add'], feeds: { x: '[1' } }, 'INVALID_ARGUMENT', /feed 'x' is not JSON/],
    [{ targets: ['add'], feeds: { x: '"one"' } }, 'INVALID_ARGUMENT', /'x:0'.*'one'/],
    [{ targets: ['add'], feeds: { x: '[1, 2]' } }, 'INVALID_ARGUMENT', /shape \[2\] for tensor 'x:0'/],
  ])('refuses %j', async (plan, codeName, message) => {
    start('anywhere.pb', plan);
    await expect(run.result).rejects.toMatchObject({ codeName, message: expect.stringMatching(message) });
  });

  it('names node, device and task of what fails', async () => {
    start('on-ps.pbtxt', { fetches: ['pair'], initialize: [] }, { cluster: cluster.addresses, reset: true });
    await expect(run.result).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      details: { node: 'total/read', op: 'Identity', device: '/job:ps/replica:0/task:0/device:CPU:0', task: '/job:ps/replica:0/task:0' },
    });
  });

  it('says where the master has put a node that may be anywhere', async () => {
    start('anywhere.pb', { fetches: ['pair'], initialize: [] }, { cluster: cluster.addresses, reset: true });
    await expect(run.result).rejects.toMatchObject({ details: { node: 'total/read', device: '/job:ps/replica:0/task:0/device:CPU:0' } });
  });
});
