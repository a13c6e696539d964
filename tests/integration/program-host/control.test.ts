import { setTimeout as delay } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { decodeGraphDef } from '../../../main/client/index.ts';
import type { RunProgramOptions } from '../../../main/program-host/run-program.ts';
import { nodesByDevice } from '../../../main/programs/trace.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { fixture, StartedRun } from './started-run.ts';

const PS = '/job:ps/replica:0/task:0/device:CPU:0';
const WORKER = '/job:worker/replica:0/task:0/device:CPU:0';

describe('a program under control', () => {
  let cluster: Cluster;
  let run: StartedRun;

  beforeAll(async () => {
    cluster = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'bundled' });
  });
  afterEach(() => run.stop());
  afterAll(() => cluster.stop());

  const start = (options: Partial<RunProgramOptions> = {}, program = 'counter.ts'): StartedRun => {
    run = new StartedRun({ source: { module: fixture(program) }, cluster: cluster.addresses, ...options });
    return run;
  };
  /** The count, once it does not change any more: it is told ten times a second, later on a busy machine. */
  const held = async (): Promise<number> => {
    for (let before = -1; ; ) {
      await delay(350);
      if (run.steps === before) return before;
      before = run.steps;
    }
  };

  it('is held before its next step, goes on step by step, and goes on', async () => {
    start();
    await run.until(() => run.steps > 20);
    run.steering.pause();
    const steps = await held();
    expect(await held()).toBe(steps);
    run.steering.step();
    expect(await held()).toBe(steps + 1);
    run.steering.step();
    run.steering.step();
    expect(await held()).toBe(steps + 3);
    run.steering.resume();
    await run.until(() => run.steps > steps + 20);
  });

  it('takes no step at all when it was paused before it began', async () => {
    start();
    run.steering.pause();
    await delay(800);
    expect(run.steps).toBe(0);
    run.steering.step();
    await run.until(() => run.steps === 1);
    expect(await held()).toBe(1);
  });

  it.each(['counter.ts', 'endless.js'])('%s ends within a second though it is paused', async (program) => {
    start({}, program);
    await run.until(() => run.all('log').length > 0);
    run.steering.pause();
    await delay(100);
    expect(await run.stop()).toBeLessThan(1100);
    await expect(run.result).rejects.toMatchObject({ codeName: 'CANCELLED' });
  });

  it('takes its time between two steps', async () => {
    start({ plan: { interval: 100 } });
    await run.until(() => run.steps >= 1);
    const [steps, from] = [run.steps, performance.now()];
    await run.until(() => run.steps >= steps + 10);
    const perStep = (performance.now() - from) / (run.steps - steps);
    expect(perStep).toBeGreaterThan(85);
    expect(perStep).toBeLessThan(200);
  });

  it('has every n-th step traced, and the next one on demand, without noticing', async () => {
    start({ plan: { traceEvery: 5, interval: 20 } });
    await run.until(() => run.steps >= 13);
    run.steering.pause();
    const steps = await held();
    run.steering.traceNext();
    run.steering.step();
    await held();
    const names = run.all('trace').map(({ name }) => name);
    const everyFifth = Array.from({ length: Math.floor(steps / 5) }, (_, i) => `step ${5 * (i + 1)}`);
    expect(names).toEqual([...everyFifth, `step ${steps + 1}`]);
    const [trace] = run.all('trace').map(({ metadata }) => nodesByDevice(fromBinary(RunMetadataSchema, metadata)));
    expect(trace?.get(PS)).toContain('add');
    expect(run.all('log').map(({ text }) => text)).toEqual(['count is asked to be on /job:ps/task:0']);
  });

  it('has variables, tensors and elements plotted by the steps that were run', async () => {
    const watch = ['count', 'weights', 'weights:0', 'weights[2]', 'weights[7]', 'scaled:0', 'nothing'];
    start({ plan: { watch } });
    await run.until(() => run.steps > 100 && run.samples('count').length > 3 && run.samples('scaled:0').length > 1);
    const names = new Set(run.all('sample').map(({ series }) => series));
    const wanted = ['count', 'weights (min)', 'weights (mean)', 'weights (max)', 'weights:0 (min)', 'weights[2]', 'scaled:0'];
    for (const name of wanted) expect(names).toContain(name);
    expect(run.values('weights (min)').at(-1)).toBe(1);
    expect(run.values('weights (mean)').at(-1)).toBe(3);
    expect(run.values('weights (max)').at(-1)).toBe(6);
    expect(run.values('weights[2]').at(-1)).toBe(6);
    const counts = run.samples('count');
    for (const [i, { step, value }] of counts.entries()) {
      expect(value).toBeGreaterThanOrEqual(step - 1);
      if (i > 0) expect(step).toBeGreaterThan(counts[i - 1]?.step ?? 0);
    }
    // The initializer was a step too. Steps wait for a read; only on a machine that is at its limit it may take longer than they do.
    expect(counts.filter(({ step, value }) => value === step - 1).length).toBeGreaterThan(0.8 * counts.length);
    for (const { step, value } of run.samples('scaled:0')) expect(value).toBe(2 * (step - 1));
    const notices = run.all('notice').map(({ text }) => text);
    expect(notices).toEqual([expect.stringMatching(/no element 'weights\[7\]'.*\[3\]/)]);
  });

  it('reads at most ten times a second', async () => {
    start({ plan: { watch: ['count'] } });
    await run.until(() => run.samples('count').length > 0);
    const before = run.samples('count').length;
    await delay(2000);
    const reads = run.samples('count').length - before;
    expect(reads).toBeLessThanOrEqual(21);
    // At least once a second, however slow the machine is.
    expect(reads).toBeGreaterThan(0);
  });

  it('has its variables initialized again, and begins a new life of their series', async () => {
    start({ plan: { watch: ['count'], interval: 5 } });
    await run.until(() => run.samples('count').length > 5 && run.steps > 30);
    run.steering.pause();
    await held();
    expect(await run.steering.reinitialize()).toBe(2);
    const before = run.samples('count').length;
    run.steering.resume();
    await run.until(() => run.samples('count').length > before + 2);
    const counts = run.samples('count');
    const reborn = counts.findIndex(({ step }, i) => step < (counts[i - 1]?.step ?? 0));
    expect(reborn).toBeGreaterThan(5);
    expect(counts[reborn]?.value).toBeLessThan(counts[reborn - 1]?.value ?? 0);
    expect(run.values('count by the program').some((value, i, all) => value < (all[i - 1] ?? 0))).toBe(true);
  });

  it('has its nodes where the pins want them, though its own graph says otherwise', async () => {
    start({ pins: { count: '/job:worker/task:0' }, plan: { traceEvery: 5 } });
    await run.until(() => run.all('trace').length > 0);
    const [trace] = run.all('trace').map(({ metadata }) => nodesByDevice(fromBinary(RunMetadataSchema, metadata)));
    expect(trace?.get(WORKER)).toContain('add');
    expect(run.all('log')[0]?.text).toBe('count is asked to be on /job:ps/task:0');
    const [sent] = run.all('graph');
    expect(sent?.name).toBe('client');
    const devices = new Map(decodeGraphDef(sent?.graphDef ?? new Uint8Array()).node.map(({ name, device }) => [name, device]));
    for (const node of ['count', 'count/Assign', 'count/read', 'add']) expect(devices.get(node)).toBe('/job:worker/task:0');
    expect(devices.get('weights')).toBe('/job:ps/task:0');
  });

  it('fails with node, device and task in the details', async () => {
    start({ pins: { scaled: '/job:ps/task:7' } });
    await expect(run.result).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      details: { node: 'scaled', op: 'Mul', device: '/job:ps/task:7', task: '/job:ps/replica:0/task:7' },
    });
    expect(run.all('log')[0]?.text).toMatch(/^failed at .*counter\.ts:\d+:\d+$/);
  });

  it('refuses a plan that cannot be followed', async () => {
    start({ plan: { watch: ['w[1,]'] } });
    await expect(run.result).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT', message: expect.stringContaining("'w[1,]'") });
  });
});
