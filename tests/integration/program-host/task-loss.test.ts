import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeGraphDef, Graph } from '../../../main/client/index.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { fixture, StartedRun } from './started-run.ts';

describe('a ps that restarts during a run', () => {
  let folder: string;
  let cluster: Cluster;
  let run: StartedRun;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-graphs-'));
    cluster = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'bundled' });
  });
  afterEach(async () => {
    await run.stop();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  const restart = async (): Promise<void> => {
    await cluster.kill('ps', 0);
    await cluster.start('ps', 0);
  };
  /** Where the series begins anew, and what it was before. */
  const rebirth = (series: string) => {
    const samples = run.samples(series);
    const at = samples.findIndex(({ step }, i) => i > 0 && step < (samples[i - 1]?.step ?? 0));
    return at < 0 ? undefined : { before: samples[at - 1]?.value ?? 0, after: samples[at]?.value ?? 0, more: samples.length - at };
  };

  it('leaves a paused program able to go on, with a new life of its series', { timeout: 60_000 }, async () => {
    run = new StartedRun({
      source: { module: fixture('counter.ts') },
      cluster: cluster.addresses,
      plan: { watch: ['count'], interval: 10 },
    });
    await run.until(() => run.samples('count').length > 2 && run.steps > 30);
    run.steering.pause();
    await delay(300);
    await restart();
    expect(await run.steering.reinitialize()).toBe(2);
    run.steering.resume();
    await run.until(() => (rebirth('count')?.more ?? 0) > 2);
    expect(rebirth('count')?.after).toBeLessThan(rebirth('count')?.before ?? 0);
  });

  it('fails a program that goes on, saying which task and why', { timeout: 60_000 }, async () => {
    run = new StartedRun({ source: { module: fixture('counter.ts') }, cluster: cluster.addresses });
    await run.until(() => run.steps > 30);
    await restart();
    await expect(run.result).rejects.toMatchObject({
      codeName: expect.stringMatching(/UNAVAILABLE|ABORTED/),
      message: /\/job:ps\/replica:0\/task:0/,
    });
  });

  it('holds a graph until its variables are initialized again', { timeout: 60_000 }, async () => {
    const graph = new Graph();
    const total = graph.device('/job:ps/task:0', () => graph.variable('total', 0));
    graph.device('/job:worker/task:0', () => total.assignAdd(1, { name: 'add' }));
    const path = join(folder, 'add.pb');
    await writeFile(path, encodeGraphDef(graph.toDef()));
    run = new StartedRun({
      ...{ source: { graph: path }, cluster: cluster.addresses, holdsOnLoss: true },
      plan: { fetches: ['add'], watch: ['total'], steps: 0, interval: 10 },
    });
    // A new life is known by its lower steps.
    await run.until(() => run.values('add').length > 50 && run.samples('total').length > 2);
    await restart();
    await run.until(() => run.all('wait').some(({ text }) => text.includes('initialized again')));
    const steps = run.steps;
    await delay(300);
    expect(run.steps).toBe(steps);
    await run.steering.reinitialize();
    await run.until(() => (rebirth('add')?.more ?? 0) > 5 && (rebirth('total')?.more ?? 0) > 1);
    expect(rebirth('add')).toMatchObject({ after: 1 });
    expect(await run.stop()).toBeLessThan(1500);
  });
});
